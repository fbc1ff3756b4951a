package task

import (
	"strings"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// frameBytes is how many bytes the parts of one event may take as JSON. With the ids
// and names around them the frame stays under 64 KiB.
const frameBytes = 48 << 10

// overhead is about how many bytes an event costs besides its parts.
const overhead = 256

// frame is a piece of an update: whole parts, or a piece of one text part.
type frame struct {
	parts []a2a.Part
	cost  int
	cont  bool // the first part continues the last part of the previous frame
}

// split cuts parts into frames. It returns at least one.
func split(parts []a2a.Part) []frame {
	if len(parts) == 1 && small(&parts[0]) {
		return []frame{{parts: parts, cost: partOverhead + len(parts[0].Text)}}
	}
	frames := []frame{{}}
	last := &frames[0]
	next := func() {
		frames = append(frames, frame{})
		last = &frames[len(frames)-1]
	}
	for _, p := range parts {
		if p.Kind == a2a.PartText && !utf8.ValidString(p.Text) {
			p.Text = strings.ToValidUTF8(p.Text, "\uFFFD")
		}
		cost := partCost(&p)
		if last.cost > 0 && last.cost+cost > frameBytes {
			next()
		}
		for p.Kind == a2a.PartText && cost > frameBytes && p.Text != "" {
			head := p
			head.Text, p.Text = cutText(p.Text, frameBytes)
			last.parts, last.cost = append(last.parts, head), frameBytes
			if p.Text == "" {
				break
			}
			next()
			last.cont = true
			cost -= textCost(head.Text)
		}
		if p.Kind != a2a.PartText || p.Text != "" || len(last.parts) == 0 {
			last.parts, last.cost = append(last.parts, p), last.cost+cost
		}
	}
	return frames
}

// small reports whether p is a text that fits in a frame whatever its bytes are.
// That is the usual chunk; counting its bytes is not worth it.
func small(p *a2a.Part) bool {
	return p.Kind == a2a.PartText && len(p.Text)*6 <= frameBytes/2 && p.Metadata == nil && utf8.ValidString(p.Text)
}

// partCost is about how many bytes a part takes as JSON, never much less.
func partCost(p *a2a.Part) int {
	n := partOverhead + len(p.MediaType) + len(p.Filename) + metadataBytes(p.Metadata)
	switch p.Kind {
	case a2a.PartText:
		return n + textCost(p.Text)
	case a2a.PartRaw:
		return n + (len(p.Raw)+2)/3*4
	case a2a.PartURL:
		return n + textCost(p.URL)
	case a2a.PartData:
		return n + len(p.Data)
	}
	return n
}

func metadataBytes(m a2a.Metadata) int {
	n := 0
	for k, v := range m {
		n += len(k) + len(v) + 4
	}
	return n
}

// textCost is how many bytes s takes at most in a JSON string.
func textCost(s string) int {
	n := 0
	for i := range len(s) {
		n += byteCost(s[i])
	}
	return n
}

// byteCost is the most bytes that any encoder writes for a byte. Encoders escape
// control characters, HTML, and U+2028 and U+2029 (which begin with 0xE2).
func byteCost(b byte) int {
	switch {
	case b == '"' || b == '\\' || b == '\n' || b == '\r' || b == '\t':
		return 2
	case b < 0x20 || b == '<' || b == '>' || b == '&' || b == 0x7f:
		return 6
	case b == 0xE2:
		return 4
	}
	return 1
}

// cutText returns as much of s as costs at most limit, but at least one rune, and
// the rest.
func cutText(s string, limit int) (head, rest string) {
	cost, i := 0, 0
	for i < len(s) {
		if cost += byteCost(s[i]); cost > limit {
			break
		}
		i++
	}
	if i == len(s) {
		return s, ""
	}
	if i = len(text.Cut(s, i)); i == 0 {
		_, i = utf8.DecodeRuneInString(s)
	}
	return s[:i], s[i:]
}
