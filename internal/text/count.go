package text

import "strconv"

// Count writes a number of things: 1 tool, 2 tools. It adds an s for the plural; use [CountOf]
// if that is wrong.
func Count(n int, thing string) string { return CountOf(n, thing, thing+"s") }

// CountOf writes a number of things: 1 property, 2 properties.
func CountOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
