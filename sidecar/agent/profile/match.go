package profile

import "github.com/a2a-sidecar/sidecar/proc/term"

// Match returns the state that the screen shows, and the rule that said so. The order
// is: the profile's dialogs, its questions, its signs, then the rules that hold for
// every agent. It reports false if the screen shows no state.
func (p *Profile) Match(s term.Snapshot) (Match, bool) {
	v := look(s)
	if m, ok := p.match(v, p.guesses()); ok {
		m.Generic = p.Name == GenericName
		return m, true
	}
	return p.matchGeneric(v)
}

// match is Match with the profile's own rules only, and with the options of a program that
// nobody has described if that is wanted.
func (p *Profile) match(v view, options bool) (Match, bool) {
	for i := range p.Dialogs {
		d := &p.Dialogs[i]
		if d.fits(p, v) {
			return Match{State: Dialogue, Kind: d.Kind, Rule: d.Rule, Source: d.source(p), Message: d.Rule, Hint: d.Hint, Dismiss: d.Dismiss}, true
		}
	}
	if q, ok := p.anyone(v, options); ok {
		return Match{State: Asking, Kind: q.Kind, Rule: q.Rule, Source: SourceScreen, Message: q.Text}, true
	}
	for i := range p.Signs {
		sign := &p.Signs[i]
		if sign.fits(p, v) {
			return Match{State: sign.State, Kind: sign.Kind, Rule: sign.Rule, Source: sign.source(p)}, true
		}
	}
	return Match{}, false
}

// source returns what decides: the title, the rows (an input box is some of them), or
// a prompt before the cursor.
func (l *Look) source(p *Profile) string {
	rows := len(l.All) > 0 || len(l.None) > 0
	switch {
	case l.Title != nil:
		return SourceTitle
	case !rows && (l.Cursor != nil || l.Prompt != nil && p.Prompt.Cursor):
		return SourcePrompt
	}
	return SourceScreen
}

// lookRows is how many rows are looked at if a rule does not say.
const lookRows = 8

func (l *Look) fits(p *Profile, v view) bool {
	if l.Title != nil && !l.Title.Fits(v.snap.Title) ||
		!holds(l.Alternate, v.snap.Alternate) ||
		!holds(l.BracketedPaste, v.snap.Modes.BracketedPaste) ||
		!holds(l.CursorShown, v.snap.CursorShown) ||
		l.Cursor != nil && l.Cursor.prompt(v.cursor) == nil {
		return false
	}
	if len(l.All) > 0 || len(l.None) > 0 {
		n := l.Rows
		if n == 0 {
			n = lookRows
		}
		if !fitRows(v.last(n), l.All, l.None) {
			return false
		}
	}
	if l.Prompt != nil {
		_, ok := p.input(v)
		return ok == *l.Prompt
	}
	return true
}

func holds(want *bool, is bool) bool { return want == nil || *want == is }

// fitRows reports whether each pattern of all fits one of the rows and no pattern of
// none fits any row.
func fitRows(rows []string, all, none []Pattern) bool {
	for _, p := range all {
		if !fitsRow(p, rows) {
			return false
		}
	}
	for _, p := range none {
		if fitsRow(p, rows) {
			return false
		}
	}
	return true
}

func fitsRow(p Pattern, rows []string) bool {
	for i := len(rows) - 1; i >= 0; i-- {
		if p.Fits(rows[i]) {
			return true
		}
	}
	return false
}
