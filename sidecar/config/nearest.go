package config

import "strings"

// Nearest returns the candidate that s was most likely meant to be, "" when
// none is near: few letters may differ,
// the fewer the shorter it is, and at most three.
func Nearest(s string, candidates []string) string {
	best, distance := "", min(3, len(s)/3+1)+1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(s), strings.ToLower(c)); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// editDistance counts the bytes to insert, delete or replace (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
