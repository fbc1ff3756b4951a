package line

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// How long a row that looks like a prompt must stay unchanged to count as one.
const (
	settleKnown = 30 * time.Millisecond  // the row was the prompt before
	settleNew   = 250 * time.Millisecond // the row may also be output
)

// maxPrompts is how many different prompts are remembered.
const maxPrompts = 16

// prompts knows what a program's prompt looks like. It is used by one goroutine
// at a time.
type prompts struct {
	pattern *regexp.Regexp
	profile *profile.Profile
	known   []known // the newest last
}

// at looks for a prompt at the end of a row. It returns where the prompt begins,
// and how long the row must stay unchanged for it to count. A program that has
// printed no newline leaves its prompt after the output; there only a prompt that
// was seen on a row of its own before can be recognised.
func (p *prompts) at(row string) (begin int, settle time.Duration, ok bool) {
	settle, ok = settleNew, false
	for _, k := range p.known {
		at := k.end.FindStringIndex(row)
		switch {
		case at == nil:
		case at[0] == 0:
			return 0, settleKnown, true
		case !ok || at[0] < begin:
			begin, ok = at[0], true
		}
	}
	return begin, settle, ok || p.is(row)
}

// known is a row that was a prompt.
type known struct {
	row string
	end *regexp.Regexp // fits it at the end of a row, with other digits and any blanks behind it
}

// digits are a number in a prompt, which may count.
var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+`) })

func newKnown(row string) known {
	expression := digits().ReplaceAllString(regexp.QuoteMeta(strings.TrimRight(row, " ")), `[0-9]+`)
	return known{row: row, end: regexp.MustCompile(expression + ` *$`)}
}

// is reports whether a row looks like a prompt.
func (p *prompts) is(row string) bool {
	if _, own := p.profile.PromptRow(row); own {
		return true
	}
	if p.pattern.MatchString(row) {
		return true
	}
	// In a pattern that a person gave, a blank at the end may be missing or be one too many.
	// That of the generic profile needs it: a price at the end of a row is no prompt.
	return p.pattern.String() != profile.Generic().PromptPattern().String() && slices.ContainsFunc(profile.OtherBlank(row), p.pattern.MatchString)
}

// seen remembers a row that was a prompt.
func (p *prompts) seen(row string) {
	if strings.TrimSpace(row) == "" || slices.ContainsFunc(p.known, func(k known) bool {
		at := k.end.FindStringIndex(row)
		return at != nil && at[0] == 0
	}) {
		return
	}
	if len(p.known) == maxPrompts {
		p.known = slices.Delete(p.known, 0, 1)
	}
	p.known = append(p.known, newKnown(row))
}

// any reports whether the program has shown a prompt.
func (p *prompts) any() bool { return len(p.known) > 0 }

// expected reports whether the program will show a prompt, or has shown one.
func (p *prompts) expected() bool { return p.any() || p.profile.Prompt.Cursor }

// echo separates what a terminal echoes of the typed text from the answer.
type echo struct {
	prompts *prompts
	pending []typed
	early   []string // lines typed before any prompt, which may still be shown after one
}

// typed is a line that was typed after a prompt. shown means that an echo is
// expected.
type typed struct {
	prompt, line string
	shown        bool
	reply        bool // it answers a question, which is the prompt: the caller has had it
}

func (e *echo) expect(t typed) {
	e.pending = append(e.pending, t)
	if t.prompt == "" && t.line != "" && !t.reply {
		e.early = append(e.early, t.line)
	}
}

// onPrompt reports whether the current row is still the one that was typed on.
func (e *echo) onPrompt() bool {
	return len(e.pending) > 0 && e.pending[0].prompt != "" && !e.pending[0].reply
}

// strip removes the echo from a finished row. ok is false if nothing is left that
// was not typed.
func (e *echo) strip(row string) (rest string, ok bool) {
	if e.shownLate(row) {
		return "", false
	}
	for i, t := range e.pending {
		if t.reply && (t.prompt != "" && strings.HasPrefix(row, t.prompt) || t.prompt == "" && strings.TrimRight(row, " ") == strings.TrimRight(t.line, " ")) {
			e.pending = e.pending[i+1:]
			if t.prompt != "" && t.line != "" && strings.TrimRight(row, " ") == strings.TrimRight(t.prompt, " ") {
				e.pending = append([]typed{{line: t.line, reply: true}}, e.pending...) // it was taken on the next row
				return "", false
			}
			rest, answers := strings.CutPrefix(row, t.prompt+t.line)
			if t.prompt == "" || t.line == "" || !answers || rest != "" && rest[0] != ' ' {
				return "", false
			}
			rest = strings.TrimSpace(rest) // the answer goes on behind the reply
			return rest, rest != ""
		}
	}
	if len(e.pending) == 0 || e.pending[0].reply {
		return row, true
	}
	head := e.pending[0]
	echoed := head.prompt + head.line
	switch {
	case head.prompt == "":
		cut, echoes := strings.CutPrefix(row, strings.TrimRight(echoed, " "))
		if !head.shown || !echoes || echoed == "" && row != "" || cut != "" && cut[0] != ' ' {
			return row, true
		}
		rest = strings.TrimSpace(cut) // some programs answer on the row of the echo
	case !head.shown:
		rest = strings.TrimPrefix(row, head.prompt)
	case strings.HasPrefix(row, echoed):
		rest = strings.TrimSpace(row[len(echoed):])
	default: // the row was redrawn differently; it is still the echo
	}
	e.pending = e.pending[1:]
	return rest, rest != ""
}

// shownLate reports whether a row is a prompt followed by a line that was typed
// before there was a prompt: a program that starts slowly shows the line then.
func (e *echo) shownLate(row string) bool {
	if len(e.early) == 0 {
		return false
	}
	prompt, found := strings.CutSuffix(row, e.early[0])
	if !found || prompt == "" || !e.prompts.is(prompt) {
		return false
	}
	e.early = e.early[1:]
	return true
}
