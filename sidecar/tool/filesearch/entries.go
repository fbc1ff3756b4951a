package filesearch

import "bytes"

// Entries cuts the result of a search, which comes in pieces, after a number of entries. An entry is a line that begins neither
// with a space nor with a parenthesis, as what belongs to the entry before it and what is said of the whole result do,
// nor with a hyphen: that separates an entry from the next one. An empty line is no entry either.
type Entries struct {
	// Left is how many entries there may be. It is counted down.
	Left int

	within bool // the next piece begins within a line
}

// Cut returns the beginning of the next piece, with no more entries than are left. What belongs to the last one is in it. Nothing
// may be cut after a piece of which not all was returned.
func (e *Entries) Cut(piece []byte) []byte {
	for end := 0; end < len(piece); {
		if first := piece[end]; !e.within {
			entry := isEntry(first)
			if e.Left == 0 && (entry || first == groupEnd[0]) {
				return piece[:end]
			}
			if entry {
				e.Left--
			}
		}
		i := bytes.IndexByte(piece[end:], '\n')
		if e.within = i < 0; e.within {
			break
		}
		end += i + 1
	}
	return piece
}

// groupEnd separates groups of lines, if lines around matches are asked for.
const groupEnd = "--\n"

// isEntry reports whether a line that begins with a byte is an entry.
func isEntry(first byte) bool {
	return first != ' ' && first != '(' && first != groupEnd[0] && first != '\n'
}
