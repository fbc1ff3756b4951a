package state

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// A program that reads after a text is ready if the text is its prompt, and asks if it is a
// question. Both may end in the same sign, so text alone does not decide:
//
//   - A row at which a message was typed is a prompt when it comes again, with other numbers. That
//     holds for "name? " too: nothing tells a program that repeats a question from one whose
//     prompt looks like a question.
//   - A row that only ends like a known prompt may be that prompt after output without a newline
//     ("foo$ ") or a question ("Amount in US$ "). If the prompt is a sign without a name, the
//     process decides that read at that prompt: the program is at its prompt only if the same
//     process reads again in the same way. A program that it has started is another process, and a
//     shell's own read does not wait as its line editor does. A prompt with a name, such as
//     "acme> ", is hardly the end of a question, so the process does not matter.
//   - A question often sets a sign apart by a blank ("Which one > "), and output that lacks its
//     newline hardly ends in one. So a blank before a sign, or before a prompt that looks like a
//     question, means a question.
//   - A row that a rule of the profile takes for a prompt is one, unless it consists of words.

// maxPrompts is how many prompts are remembered.
const maxPrompts = 16

// prompt is a row at which a message was typed.
type prompt struct {
	shape  string
	reader waits.Look // the look that saw the program wait there
}

// rememberPrompt remembers the text before the cursor as a prompt of the program.
func (k *kernel) rememberPrompt(s term.Snapshot) {
	before, _ := profile.AtCursor(s)
	p := prompt{shape: shape(before)}
	if k.phase != phaseUnseen {
		p.reader = k.seen
	}
	k.prompts = slices.DeleteFunc(k.prompts, func(old prompt) bool { return old.shape == p.shape })
	k.prompts = append(k.prompts[max(0, len(k.prompts)-maxPrompts+1):], p)
}

// atPrompt reports whether a row up to the cursor is the prompt of the program that l has seen.
func (d *Detector) atPrompt(before string, l waits.Look) bool {
	row := shape(before)
	for _, p := range d.kernel.prompts {
		if row == p.shape || p.ends(row, l) {
			return true
		}
	}
	if row == "" {
		return false
	}
	m, ok := d.match(d.page.last)
	return ok && m.State == profile.Ready && (m.Source != profile.SourcePrompt || !d.kernel.wordy(row, l))
}

// ends reports whether a row is output without a newline and then this prompt.
func (p prompt) ends(row string, l waits.Look) bool {
	output, ok := strings.CutSuffix(row, p.shape)
	if !ok || p.shape == "" {
		return false
	}
	asks := strings.HasSuffix(p.shape, "?") || strings.HasSuffix(p.shape, ":")
	last, _ := utf8.DecodeLastRuneInString(output)
	first, _ := utf8.DecodeRuneInString(p.shape)
	switch {
	case strings.TrimSpace(output) == "":
		return true
	case !named(p.shape):
		return p.sameReader(l) && !unicode.IsSpace(last)
	case asks: // "Surname:" is not the prompt "name:", nor is "Your name:"
		return !unicode.IsSpace(last) && !(unicode.IsLetter(last) && unicode.IsLower(first))
	}
	return true
}

// sameReader reports whether the process that read at the prompt reads now, and in the same way.
func (p prompt) sameReader(l waits.Look) bool {
	return l.PID != 0 && l.PID == p.reader.PID && l.Kind == p.reader.Kind
}

// named reports whether a prompt has a name in addition to its sign.
func named(shape string) bool {
	const least = 3 // letters and digits
	return utf8.RuneCountInString(squeeze(shape)) >= least
}

// wordy reports whether a row that ends in a prompt's sign reads as words for a person, as in
// "Which one > ": no known prompt begins so, and it has two plain words, or one and a sign apart.
func (k *kernel) wordy(row string, l waits.Look) bool {
	fields := strings.Fields(row)
	words := 0
	for _, f := range fields {
		if strings.IndexFunc(f, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
			words++
		}
	}
	apart := len(fields) > 1 && words == len(fields)-1 && squeeze(fields[len(fields)-1]) == ""
	switch same := slices.ContainsFunc(k.prompts, func(p prompt) bool { return p.sameReader(l) }); {
	case words > 1:
		return !same || !slices.ContainsFunc(k.prompts, func(p prompt) bool { return strings.HasPrefix(p.shape, fields[0]+" ") })
	case words == 1 && apart:
		return !same
	}
	return false
}

// shape returns a row with a 0 for each number and without the blanks at its end: a prompt may
// count its lines.
func shape(row string) string {
	var b strings.Builder
	digit := false
	for _, r := range strings.TrimRightFunc(row, unicode.IsSpace) {
		is := unicode.IsDigit(r)
		switch {
		case !is:
			b.WriteRune(r)
		case !digit:
			b.WriteByte('0')
		}
		digit = is
	}
	return b.String()
}
