package term

import "github.com/mattn/go-runewidth"

// Width returns how many columns a rune takes on a screen, whatever the locale of this process:
// 0, 1 or 2; a rune of ambiguous width takes 1. Latin, box drawing and block characters, which
// are most of what is not ASCII, are handled without the package's table, because the first
// other rune fills that table (0.9 ms, 2.2 MB).
func Width(r rune) int {
	switch {
	case r < 0x300:
		if r >= 0xa0 && r != 0xad || r >= ' ' && r < 0x7f {
			return 1
		}
		return 0
	case r >= 0x2500 && r <= 0x259f:
		return 1
	}
	// A lookup takes 1 ns with StrictEmojiNeutral and 12 ns without, and gives the same result
	// for all runes.
	narrow := runewidth.Condition{StrictEmojiNeutral: true}
	return narrow.RuneWidth(r)
}
