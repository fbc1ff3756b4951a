package profile

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

// RuleContinuation names the sign for a continuation prompt, which asks for more of
// what was begun.
const RuleContinuation = "continuation prompt"

// inputRows is how many of the last rows are searched for the input.
const inputRows = 16

// Input returns what stands in the input box, or after the prompt of a line program,
// its lines joined with newlines. The text that the agent shows there while nothing is
// typed counts as "". It reports false if there is no input on the screen.
func (p *Profile) Input(s term.Snapshot) (text string, ok bool) { return p.input(look(s)) }

// PromptRow reports whether a row, up to the cursor, is the prompt of a line program
// with nothing typed after it, and which sign says so. The generic profile has no
// prompt of its own.
func (p *Profile) PromptRow(row string) (rule string, ok bool) {
	if p.Name == GenericName || !p.Prompt.Cursor {
		return "", false
	}
	row = text.Cut(row, cellsMax)
	for i := range p.Signs {
		sign := &p.Signs[i]
		if sign.State == Ready && sign.Cursor != nil && sign.source(p) == SourcePrompt && sign.Cursor.prompt(row) != nil {
			return sign.Rule, true
		}
	}
	return "", false
}

// WithoutPastes returns the text of an input without what the agent shows instead of
// long pastes, and reports whether there was any.
func (p *Profile) WithoutPastes(text string) (rest string, pasted bool) {
	if !p.Prompt.Pasted.Fits(text) {
		return text, false
	}
	return p.Prompt.Pasted.re.ReplaceAllString(text, ""), true
}

// InputRows returns how many rows the input has, 0 if there is no input.
func (p *Profile) InputRows(s term.Snapshot) int {
	typed, _ := p.typed(look(s))
	return len(typed)
}

func (p *Profile) input(v view) (string, bool) {
	typed, ok := p.typed(v)
	if !ok {
		return "", false
	}
	return p.Prompt.text(typed), true
}

// typed returns the rows of the input.
func (p *Profile) typed(v view) (rows []string, ok bool) {
	if p.Prompt.Row == nil {
		return nil, false
	}
	if p.Prompt.Cursor {
		groups := p.Prompt.Row.prompt(v.cursor)
		if groups == nil {
			return nil, false
		}
		return []string{Group(groups, 1) + v.behind}, true
	}
	if p.Prompt.Up > 0 {
		return p.Prompt.aboveCursor(v)
	}
	n := p.Prompt.Rows
	if n == 0 {
		n = inputRows
	}
	last := v.last(n)
	top := v.first == 0 && len(last) == len(v.rows)
	for i := len(last) - 1; i >= 0; i-- {
		if rows, ok = p.Prompt.at(last, i, top); ok {
			return rows, true
		}
	}
	return nil, false
}

// aboveCursor reads an input that only the cursor shows.
func (b *Prompt) aboveCursor(v view) (rows []string, ok bool) {
	at := v.snap.CursorRow - b.Up
	if at < 0 || at >= len(v.snap.Lines) {
		return nil, false
	}
	for _, l := range v.snap.Lines[at+1 : v.snap.CursorRow+1] {
		if !Blank(l.Text) {
			return nil, false // something else stands there
		}
	}
	groups := b.Row.Groups(text.Cut(v.snap.Lines[at].Text, cellsMax))
	if groups == nil {
		return nil, false
	}
	return []string{Group(groups, 1)}, true
}

// at reads the input whose first row is rows[i]. If top is true, rows[0] is the
// screen's first row, and what is above it cannot be seen: the row before Below must
// not be blank in that case, as it is after the echo of an older message.
func (b *Prompt) at(rows []string, i int, top bool) (typed []string, ok bool) {
	groups := b.Row.prompt(rows[i])
	hidden := i == 0 && b.Above != nil
	if groups == nil || hidden && !top || b.Above != nil && i > 0 && !b.Above.Fits(rows[i-1]) {
		return nil, false
	}
	typed = append(typed, Group(groups, 1))
	for i++; i < len(rows); i++ {
		if b.Below.Fits(rows[i]) {
			return typed, b.ends(rows[i+1:]) && !(hidden && rows[i-1] == "")
		}
		groups := b.Next.Groups(rows[i])
		if groups == nil {
			break
		}
		typed = append(typed, Group(groups, 1))
	}
	return typed, b.Below == nil && !hidden && b.ends(rows[i:])
}

// ends reports whether these rows may follow the input.
func (b *Prompt) ends(rows []string) bool {
	if b.After == 0 {
		return true
	}
	others := 0
	for _, row := range rows {
		if !FitsAny(b.Foot, row) {
			others++
		}
	}
	return others <= b.After
}

// text returns what was typed, "" for a text that only stands in for it.
func (b *Prompt) text(typed []string) string {
	for i, row := range typed {
		typed[i] = strings.TrimRight(row, " \u00a0")
	}
	text := strings.Trim(strings.Join(typed, "\n"), "\n")
	if FitsAny(b.Empty, text) {
		return ""
	}
	return text
}
