package transcript

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// Failure returns what the screen says of an error that the turn has ended with; it
// reports false if there is none. Call it after Read or Final has seen the same
// screen.
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
		if r.rules.Text != nil && r.rules.Echo.Fits(row) {
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
			if message := profile.CleanMessage(text); message != "" {
				return message, true
			}
		}
		if r.rules.Text.Fits(row) {
			break
		}
	}
	return "", false
}

// failureText returns the message of the failure that these rows show, if the first of
// them is the failure's.
func failureText(f *profile.Failure, rows []term.Line) (text string, ok bool) {
	groups := f.Row.Groups(rows[0].Text)
	if groups == nil {
		return "", false
	}
	said := []string{profile.Group(groups, len(groups)-1)}
	next := 1
	for f.More != nil && next < len(rows) && !profile.Blank(rows[next].Text) {
		groups := f.More.Groups(rows[next].Text)
		if groups == nil {
			break
		}
		said = append(said, profile.Group(groups, len(groups)-1))
		next++
	}
	text = profile.JoinRows(said)
	if f.Below == nil {
		return text, true
	}
	below := ""
	for ; below == "" && next < len(rows); next++ {
		if !profile.Blank(rows[next].Text) {
			below = rows[next].Text
		}
	}
	return text, f.Below.Fits(below)
}
