package tool

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// span is a part of a text.
type span struct{ start, end int }

// maxReplacements is how many places an edit replaces at most: each takes memory before the file does.
const maxReplacements = 100_000

// find returns where a text stands, the places do not overlap; of more than maxReplacements it returns one more.
// If it is nowhere, line endings do not count. If ctx ends, not all of them are found.
func find(ctx context.Context, content, wanted string) []span {
	if found := findExactly(ctx, content, wanted); len(found) > 0 {
		return found
	}
	plain := strings.ReplaceAll(content, "\r\n", "\n")
	found := findExactly(ctx, plain, strings.ReplaceAll(wanted, "\r\n", "\n"))
	if len(found) == 0 || len(plain) == len(content) {
		return found
	}
	// Each CR that was taken out moves what comes after it.
	at, moved := 0, 0
	original := func(offset int) int {
		for {
			i := strings.Index(content[at:], "\r\n")
			if i < 0 || at+i-moved >= offset {
				return offset + moved
			}
			at += i + 2
			moved++
		}
	}
	for i := range found {
		found[i].start = original(found[i].start)
		found[i].end = original(found[i].end)
	}
	return found
}

func findExactly(ctx context.Context, content, wanted string) (found []span) {
	for at := 0; ; {
		i := text.Index(content[at:], wanted)
		if i < 0 || wanted == "" || len(found) > maxReplacements || ctx.Err() != nil {
			return found
		}
		found = append(found, span{at + i, at + i + len(wanted)})
		at += i + len(wanted)
	}
}

// The bounds of what is looked at to find lines that may be meant.
const (
	nearLines  = 3       // that are named
	nearBytes  = 1 << 20 // of the file
	nearLength = 400     // of a line
	nearShown  = 200     // of a line in an error
)

// nearLine is a line that may be meant.
type nearLine struct {
	number int
	line   string
	like   float64
}

// miss is the error of a text that is not in the file. It names the lines that are most like
// the longest one of it.
func (d *document) miss(ctx context.Context, wanted string) error {
	return d.unlike(ctx, fmt.Sprintf("old_string is not in %s", text.Show(d.shown)), wanted)
}

// unlike ends an error that says that a text is not there. If ctx ends, the error is its cause.
func (d *document) unlike(ctx context.Context, says, wanted string) error {
	near := nearest(ctx, string(d.content), wanted)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(near) == 0 {
		return fmt.Errorf("%s, and no line is like it: read the file again", says)
	}
	var b strings.Builder
	for _, n := range near {
		fmt.Fprintf(&b, "\n%*d\t%s", numberWidth, n.number, text.Show(text.Shorten(n.line, nearShown)))
	}
	if near[0].like == 1 {
		return fmt.Errorf("%s as it is written: white space, or the lines around, differ. The nearest lines are:%s", says, b.String())
	}
	return fmt.Errorf("%s. The nearest lines are:%s", says, b.String())
}

// nearest returns the lines that are most like the longest line of a text, in their order.
func nearest(ctx context.Context, content, wanted string) (near []nearLine) {
	longest := ""
	for line := range strings.Lines(wanted) {
		if line = plainLine(line); len(line) > len(longest) {
			longest = line
		}
	}
	if longest == "" {
		return nil
	}
	pairs := pairsOf(longest)
	number := 0
	for line := range strings.Lines(text.Cut(content, min(nearBytes, len(content)))) {
		if number++; ctx.Err() != nil {
			return nil
		}
		plain := plainLine(line)
		like := 1.0
		if plain != longest {
			like = likeness(pairs, plain) * 0.99
		}
		if like >= 0.5 {
			near = append(near, nearLine{number, strings.TrimRight(line, "\r\n"), like})
		}
		if len(near) > 4*nearLines {
			near = best(near)
		}
	}
	near = best(near)
	return near
}

// best returns those that are most alike, the best first, and of the same ones the first lines.
func best(near []nearLine) []nearLine {
	slices.SortStableFunc(near, func(a, b nearLine) int { return cmp.Or(cmp.Compare(b.like, a.like), cmp.Compare(a.number, b.number)) })
	return near[:min(nearLines, len(near))]
}

// plainLine returns a line with its white space made plain.
func plainLine(line string) string {
	return strings.Join(strings.Fields(text.Cut(line, min(nearLength, len(line)))), " ")
}

// pairsOf counts the pairs of bytes of a line.
func pairsOf(line string) map[[2]byte]int {
	pairs := make(map[[2]byte]int, len(line))
	for i := 1; i < len(line); i++ {
		pairs[[2]byte{line[i-1], line[i]}]++
	}
	return pairs
}

// likeness is how many pairs of bytes two lines share, from 0 to 1.
func likeness(pairs map[[2]byte]int, line string) float64 {
	if len(line) < 2 {
		return 0
	}
	shared, all := 0, len(line)-1
	theirs := pairsOf(line)
	for pair, n := range pairs {
		shared += min(n, theirs[pair])
		all += n
	}
	return 2 * float64(shared) / float64(all)
}
