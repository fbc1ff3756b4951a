package term

import "github.com/mattn/go-runewidth"

// widths says how many columns a rune takes, whatever the locale of this
// process: ambiguous ones take one.
type widths struct {
	condition runewidth.Condition
}

func newWidths() widths {
	return widths{runewidth.Condition{StrictEmojiNeutral: false}}
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
