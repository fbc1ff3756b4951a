package transcript

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// where says what the previous row belonged to.
type where int

const (
	before where = iota // the echo has not come yet
	inEcho
	inText
	inChrome // what the agent draws between blocks of text
	after    // the echo of another message has come
)

// reading is the text of the rows from the echo on, up to some row. A copy of it can
// continue with other rows.
type reading struct {
	r     *Reader
	epoch int // the number of echoes so far: each begins the answer anew
	sure  bool
	own   bool   // the echo is the message's, as far as it could be seen
	torn  bool   // the echo's first row was not seen
	other uint64 // the number of the row after an earlier message's echo; 0 if there was none
	at    where
	shown int // inEcho: how much of the message the echo's rows have shown

	text []byte
	join joiner

	held  []heldRow // rows that look like a tool call, and may be text
	holds bool      // more rows may follow them
}

// heldRow is a row of text as it arrived.
type heldRow struct {
	text    string
	wrapped bool
	head    bool
	blanks  int
}

// heldMax is the largest number of rows that a tool call has before the mark that
// identifies it.
const heldMax = 12

// branch returns a copy that continues with an empty text.
func (p *reading) branch() reading {
	now := *p
	now.text, now.held = nil, slices.Clone(p.held)
	now.join.mark, now.join.para = min(now.join.mark, 0), min(now.join.para, 0)
	return now
}

// row takes the next row, whose number is n and which was drawn on a screen of cols
// columns.
func (p *reading) row(l term.Line, n uint64, cols int) {
	if p.echo(l, n) || p.at == before || p.at == after {
		return
	}
	a := p.r.rules
	p.join.width, p.join.wrap = cols-a.Margin, a.Wrap
	text := strings.TrimRight(l.Text, " \u00a0")
	if l.Wrapped {
		text = l.Text
	}
	switch {
	case p.at == inText && p.join.wrapped:
		p.take(heldRow{text: text, wrapped: l.Wrapped}, false)
		return
	case p.holds && a.ToolMark.Fits(text):
		p.held = nil
		p.chrome()
		return
	case profile.Blank(text):
		p.join.blank()
		return
	case profile.FitsAny(a.Drop, text):
		p.chrome()
		return
	}
	if groups := a.Text.Groups(text); groups != nil {
		p.release()
		p.at = inText
		p.join.block()
		p.take(heldRow{text: profile.Group(groups, len(groups)-1), wrapped: l.Wrapped, head: true}, profile.FitsAny(a.Tool, text))
		return
	}
	if a.Text != nil && p.at != inText {
		return
	}
	body := []string{text}
	if a.Body != nil {
		body = a.Body.Groups(text)
	}
	if body == nil {
		p.chrome()
		return
	}
	if p.at != inText {
		p.at = inText
		p.join.block()
	}
	p.take(heldRow{text: profile.Group(body, len(body)-1), wrapped: l.Wrapped}, p.join.blanks > 0 && profile.FitsAny(a.Tool, text))
}

// chrome ends a block of text. Rows that are held stay held: what comes below them may
// be a spinner, and the mark of the tool call may still come.
func (p *reading) chrome() { p.at, p.holds = inChrome, false }

// take takes a row of text. A row that may begin a tool call is held, and so are the
// rows after it up to a blank one.
func (p *reading) take(row heldRow, tool bool) {
	if len(p.held) > 0 && !(p.holds && p.join.blanks == 0 && len(p.held) < heldMax) {
		p.release()
	}
	row.blanks, p.join.blanks = p.join.blanks, 0
	if tool || len(p.held) > 0 {
		p.holds = p.holds || len(p.held) == 0
		p.held = append(p.held, row)
		return
	}
	p.say(row)
}

// release turns the held rows into text.
func (p *reading) release() {
	if len(p.held) == 0 {
		return
	}
	blanks := p.join.blanks
	for _, row := range p.held {
		p.say(row)
	}
	p.held, p.holds = nil, false
	p.join.blanks = blanks
}

func (p *reading) say(row heldRow) {
	if len(p.text) > answerMax {
		return
	}
	p.join.blanks = row.blanks
	p.text = p.join.add(p.text, row.text, row.wrapped)
}

// echo reports whether the row belongs to a message's echo.
func (p *reading) echo(l term.Line, n uint64) bool {
	r := p.r
	text := l.Text
	if r.rules.Echo == nil {
		if p.at == inEcho {
			shown, ok := r.want.goesOn(p.shown, text)
			p.shown = shown
			if !ok {
				p.at = inChrome
			}
			return ok
		}
		if shown, ok := r.want.bare(text); ok && p.at == before && n >= r.mark {
			p.begin(shown, true)
			return true
		}
		return false
	}
	groups := r.rules.Echo.Groups(text)
	if groups == nil {
		return p.tear(text, n)
	}
	shown, ours := r.want.begins(profile.Group(groups, len(groups)-1), r.pasted)
	switch {
	case n < r.mark:
		return false
	case ours:
		p.begin(shown, true)
	case p.at <= inEcho && r.want.holds(profile.Group(groups, len(groups)-1)):
		p.begin(0, true) // its first row is above the screen
	case r.begun && (p.at == before || !p.own) && r.earlier.has(profile.Group(groups, len(groups)-1), p.other, n):
		p.pass(n)
	case (!p.sure || p.torn && len(p.text) == 0) && r.begun:
		p.begin(0, false) // the echo is in the right place, but does not look like the message
	case p.at != before && r.rules.Text != nil:
		p.release()
		p.at = after
	default:
		return false
	}
	return true
}

// begin begins the answer below the echo.
func (p *reading) begin(shown int, sure bool) {
	*p = reading{r: p.r, epoch: p.epoch + 1, sure: sure, own: sure, at: inEcho, shown: shown, join: joiner{mark: -1, para: -1}}
}

// pass skips what stands below an earlier message's echo, which was drawn late.
func (p *reading) pass(n uint64) {
	*p = reading{r: p.r, epoch: p.epoch + 1, other: n + 1, join: joiner{mark: -1, para: -1}}
}

// stable returns how much of the text will not change any more: the last word may
// grow, and what could be a mark of Markdown may vanish until its paragraph has ended.
func (p *reading) stable() int {
	n := len(strings.TrimRight(string(p.text), " \n"))
	for n > 0 && p.text[n-1] != ' ' && p.text[n-1] != '\n' {
		n--
	}
	if m := p.join.mark; m >= 0 {
		n = min(n, m)
	}
	if m := p.join.para; m >= 0 && p.r.rules.Preview {
		n = min(n, m)
	}
	return len(text.Cut(p.text, n))
}
