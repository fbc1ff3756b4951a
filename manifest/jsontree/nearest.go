package jsontree

import "strings"

// Nearest returns the candidate that word was most likely meant to be, "" if none is
// near. One letter may differ, in longer words one of three, and three at most. Case
// is ignored.
func Nearest(word string, candidates []string) string {
	best, bestDistance := "", 1+max(1, min(3, len(word)/3))
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c), bestDistance); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// distanceMax bounds the length of the words that are compared.
const distanceMax = 128

// distance counts the edits between a and b, where a swap of neighbours is one edit.
// It gives up at limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) > distanceMax || len(b) > distanceMax {
		return limit
	}
	var space [3][distanceMax + 1]uint16
	before, last, row := &space[0], &space[1], &space[2]
	for j := range len(b) + 1 {
		last[j] = uint16(j)
	}
	for i := range len(a) {
		row[0] = uint16(i + 1)
		least := row[0]
		for j := range len(b) {
			cost := uint16(1)
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			least = min(least, row[j+1])
		}
		if int(least) >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return int(last[len(b)])
}
