package profile

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// Failure returns what the screen says of an error that the turn has ended with;
// false when there is none. It is to be asked after Read or Final has seen the
// same screen.
func (r *Reader) Failure(s term.Snapshot) (message string, ok bool) {
	if !r.begun {
		return "", false
	}
	end, _ := liveRow(r.rules, texts(s.Lines))
	top := s.Scrolled
	if s.Alternate {
		top = r.scroll.gone
	}
	for i := end - 1; i >= 0; i-- {
		row := s.Lines[i].Text
		if r.rules.Text != nil && r.rules.Echo.fits(row) {
			break
		}
		if r.stood.has(row, top+uint64(i)) {
			continue
		}
		for f := range r.rules.Failed {
			text, ok := failureText(&r.rules.Failed[f], s.Lines[i:end])
			if !ok || strings.Contains(r.want.all, unspaced(text)) {
				continue
			}
			if message := CleanMessage(text); message != "" {
				return message, true
			}
		}
		if r.rules.Text.fits(row) {
			break
		}
	}
	return "", false
}

// failureText returns what the rows say that went wrong, if the first of them is
// the failure's.
func failureText(f *Failure, rows []term.Line) (text string, ok bool) {
	groups := f.Row.groups(rows[0].Text)
	if groups == nil {
		return "", false
	}
	said := []string{group(groups, len(groups)-1)}
	next := 1
	for f.More != nil && next < len(rows) && !blank(rows[next].Text) {
		groups := f.More.groups(rows[next].Text)
		if groups == nil {
			break
		}
		said = append(said, group(groups, len(groups)-1))
		next++
	}
	text = joinRows(said)
	if f.Below == nil {
		return text, true
	}
	below := ""
	for ; below == "" && next < len(rows); next++ {
		if !blank(rows[next].Text) {
			below = rows[next].Text
		}
	}
	return text, f.Below.fits(below)
}
