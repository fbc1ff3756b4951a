package term

import "unicode/utf8"

const (
	// maxCluster is the largest size in bytes of a rune with its combining marks.
	maxCluster = 64
	// maxClusters is how many different clusters are kept at most.
	maxClusters = 8192
)

// clusters holds the runes with combining marks that are on the screen, each once; a cell
// refers to one by its number. If the table is full, entries that are no longer on the screen
// are removed. If that does not help, marks are lost for a while.
type clusters struct {
	text   []string
	number map[string]rune
	wait   int // how many more marks are refused before the next sweep
}

// append adds the text of a cell's r, which is neither 0 nor tail.
func (c *clusters) append(to []byte, r rune) []byte {
	if r < 0 {
		return append(to, c.text[^r]...)
	}
	return utf8.AppendRune(to, r)
}

// join returns the cell value of r followed by mark, or r itself if there is no room for the
// mark. It calls sweep if there are too many clusters.
func (c *clusters) join(r, mark rune, sweep func()) rune {
	var buf [maxCluster]byte
	text := c.append(buf[:0], r)
	if len(text)+utf8.RuneLen(mark) > maxCluster {
		return r
	}
	text = utf8.AppendRune(text, mark)
	if n, ok := c.number[string(text)]; ok {
		return n
	}
	if len(c.text) >= maxClusters {
		if c.wait > 0 {
			c.wait--
			return r
		}
		base := string(c.append(buf[:0], r)) // r's number may change
		sweep()
		c.wait = len(c.text) // so that sweeps are rare compared with what they free
		if len(c.text) >= maxClusters {
			return c.keep(base)
		}
		text = utf8.AppendRune([]byte(base), mark)
	}
	return c.keep(string(text))
}

// keep returns the cell value of text, which may be a single rune.
func (c *clusters) keep(text string) rune {
	if r, size := utf8.DecodeRuneInString(text); size == len(text) {
		return r
	}
	if n, ok := c.number[text]; ok {
		return n
	}
	if c.number == nil {
		c.number = make(map[string]rune)
	}
	n := ^rune(len(c.text))
	c.text = append(c.text, text)
	c.number[text] = n
	return n
}

// sweep renumbers the clusters that are in the grids and forgets the others.
func (c *clusters) sweep(grids ...*grid) {
	old := *c
	*c = clusters{number: make(map[string]rune)}
	for _, g := range grids {
		for i := range g.rows {
			row := &g.rows[i]
			for x := range row.cells[:row.used] {
				if at := &row.cells[x]; at.r < 0 {
					at.r = c.keep(old.text[^at.r])
				}
			}
		}
	}
}
