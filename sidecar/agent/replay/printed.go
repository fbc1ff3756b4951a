package replay

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// printedLines reads the answers of a program that prints lines: what it prints after a
// message, without the echo of the message and without its prompts. A recording does not
// tell what a program waits for, so the row that the next message is typed on is a prompt.
type printedLines struct {
	lines   *term.Lines
	profile *profile.Profile
	prompts []*regexp.Regexp // the prompts so far: each fits its row with other digits

	begun   bool
	prompt  string   // the row that the message was typed on
	message []string // its lines
	at      time.Duration
	rows    []term.Printed
	replies []string // the rows that an answer to a question was typed on
}

// promptHold is how long a prompt must stand before it ends an answer, and promptsMax how
// many are remembered.
const (
	promptHold = 250 * time.Millisecond
	promptsMax = 16
)

// begin is called before a message is typed. typed is what was typed of it already.
func (l *printedLines) begin(typed string) {
	l.lines.Keep(true)
	l.prompt = strings.TrimSuffix(l.lines.Read().Current, typed)
	l.begun, l.rows, l.replies = true, nil, nil
	l.seen(l.prompt)
}

// sent is called when a message was typed, at its Enter.
func (l *printedLines) sent(message string, at time.Duration) {
	if !l.begun {
		l.begin(message)
	}
	l.message, l.at = strings.Split(message, "\n"), at
}

// reply is called when something is typed at a question.
func (l *printedLines) reply() {
	if row := l.lines.Read(); l.begun {
		l.rows = append(l.rows, row.Finished...)
		if row.Current != "" && (len(l.replies) == 0 || !strings.HasPrefix(row.Current, l.replies[len(l.replies)-1])) {
			l.replies = append(l.replies, row.Current)
		}
	}
}

func (l *printedLines) see(*Player) { l.rows = append(l.rows, l.lines.Read().Finished...) }

func (l *printedLines) restsAt(p *Player) time.Duration {
	now := l.lines.Read()
	l.rows = append(l.rows, now.Finished...)
	hold := l.profile.Timing.Silence
	if _, prompt := l.promptAt(now.Current); prompt {
		hold = promptHold
	}
	return max(now.Output.Sub(p.start), l.at) + hold
}

func (l *printedLines) end(_ *Player, next bool) told {
	now := l.lines.Read()
	l.lines.Keep(false)
	var b strings.Builder
	for _, row := range l.unechoed(append(l.rows, now.Finished...)) {
		b.WriteString(row.Text)
		if row.Whole {
			b.WriteByte('\n')
		}
	}
	at, prompt := l.promptAt(now.Current)
	switch {
	case prompt && at == 0, !prompt && next:
		l.seen(now.Current)
	case prompt:
		b.WriteString(now.Current[:at])
	case !l.echo(now.Current): // it has not ended
		b.WriteString(now.Current)
	}
	l.begun, l.rows = false, nil
	return told{text: strings.TrimRight(strings.TrimLeft(b.String(), "\n"), " \n"), from: FromLines}
}

// echo reports whether a row is the one that the message was typed on, with the message.
func (l *printedLines) echo(row string) bool { return l.prompt+l.message[0] == row }

// unechoed returns the rows without those that show what was typed.
func (l *printedLines) unechoed(rows []term.Printed) (kept []term.Printed) {
	for i, row := range rows {
		text, ok := row.Text, true
		switch reply := slices.IndexFunc(l.replies, func(r string) bool { return strings.HasPrefix(text, r) }); {
		case i == 0:
			text, ok = l.afterEcho(text)
		case len(l.message) > 1 && l.continues(text):
			l.message, ok = l.message[1:], false
		case reply >= 0:
			l.replies, ok = l.replies[reply+1:], false
		}
		if ok {
			row.Text = text
			kept = append(kept, row)
		}
	}
	return kept
}

// afterEcho returns what the first row has after the echo of the message. It reports false
// if that is nothing.
func (l *printedLines) afterEcho(row string) (rest string, ok bool) {
	typed := strings.TrimRight(l.message[0], " ")
	rest, prompted := strings.CutPrefix(row, l.prompt)
	switch {
	case prompted && strings.HasPrefix(rest, typed):
		if rest = strings.TrimSpace(rest[len(typed):]); l.prompt == "" && rest != "" {
			return row, true // it only begins like the message
		}
	case l.prompt != "" && typed != "" && strings.Contains(row, typed):
		return "", false // the prompt was drawn anew, and looks otherwise
	}
	return rest, rest != ""
}

// continues reports whether a row is the next line of a message after a prompt.
func (l *printedLines) continues(row string) bool {
	prompt, found := strings.CutSuffix(strings.TrimRight(row, " "), strings.TrimRight(l.message[1], " "))
	_, is := l.promptAt(prompt)
	return found && (prompt == "" || is)
}

// promptAt returns where a prompt begins at the end of a row. In the middle of a row, after
// output that ended without a newline, only a prompt that was seen before is one.
func (l *printedLines) promptAt(row string) (begin int, ok bool) {
	for _, p := range l.prompts {
		if at := p.FindStringIndex(row); at != nil && (!ok || at[0] < begin) {
			begin, ok = at[0], true
		}
	}
	if ok {
		return begin, true
	}
	_, own := l.profile.PromptRow(row)
	return 0, own || l.profile.PromptPattern().MatchString(row)
}

// numbers are what may count in a prompt.
var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+`) })

// seen remembers a row that was a prompt.
func (l *printedLines) seen(row string) {
	if strings.TrimSpace(row) == "" || slices.ContainsFunc(l.prompts, func(p *regexp.Regexp) bool { return p.MatchString(row) }) {
		return
	}
	if len(l.prompts) == promptsMax {
		l.prompts = slices.Delete(l.prompts, 0, 1)
	}
	shape := numbers().ReplaceAllString(regexp.QuoteMeta(strings.TrimRight(row, " ")), `[0-9]+`)
	l.prompts = append(l.prompts, regexp.MustCompile(shape+` *$`))
}
