package text

import "strings"

// Spinners are the characters that programs show in turn, at one place, while they work.
const Spinners = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏⣾⣽⣻⢿⡿⣟⣯⣷◐◓◑◒◴◷◶◵✢✳✶✻✽"

// Spins reports whether a row begins with one of Spinners, and a blank or nothing follows it.
func Spins(row string) bool {
	row = strings.TrimLeft(row, " \u00a0\t")
	for i, r := range row {
		if i == 0 {
			if !strings.ContainsRune(Spinners, r) {
				return false
			}
			continue
		}
		return r == ' ' || r == '\u00a0'
	}
	return row != ""
}
