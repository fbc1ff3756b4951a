package term

import "github.com/mattn/go-runewidth"

// widths says how many columns a rune takes, whatever the locale of this
// process: ambiguous ones take one.
type widths struct {
	condition runewidth.Condition
}

// newWidths asks for what the package has a table for. It fills that at the first
// rune beyond U+02FF (0.9 ms, 2.2 MB) for every condition, and a lookup in it
// takes 1 ns against 12; the widths are the same for all runes.
func newWidths() widths {
	return widths{runewidth.Condition{StrictEmojiNeutral: true}}
}

// of returns 0, 1 or 2. Latin, box drawing and block characters, most of what
// is not ASCII, are known without the table.
func (w *widths) of(r rune) int {
	switch {
	case r < 0x300:
		if r >= 0xa0 && r != 0xad || r >= ' ' && r < 0x7f {
			return 1
		}
		return 0
	case r >= 0x2500 && r <= 0x259f:
		return 1
	}
	return w.condition.RuneWidth(r)
}
