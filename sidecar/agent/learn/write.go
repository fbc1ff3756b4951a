package learn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

const (
	// pieceRows and pieceBytes bound a paste for an agent without a profile. Agents show
	// a long paste as an attachment, and some of them send a file in place of its text; the
	// known agent with the lowest limit takes three rows or 600 bytes for one.
	pieceRows  = 2
	pieceBytes = 400
	// slack is how many rows more than were seen may follow the input or a sign.
	slack = 2
	// promptRows is how many of the last rows the input is looked for in: an input may hold a
	// long message.
	promptRows = 40
	// lastAnswers is how many of the latest answers decide what an answer begins with: an agent
	// may look different after its first one.
	lastAnswers = 3
	// commandChars begin what most agents execute themselves. A message that begins with one is
	// refused.
	commandChars = "/!#@"
	// ruleWork begins the name of a rule for a sign of work.
	ruleWork = "work: "
)

const (
	// lineRow matches a line across the screen.
	lineRow = `^[ \x{a0}]*[─━═▀▄╭╮╰╯┌┐└┘]{10,}[ \x{a0}]*$`
	// spinRow matches a row that begins with a spinner.
	spinRow = `^[ \x{a0}]*[` + text.Spinners + `](?:[ \x{a0}]|$)`
	// blankRow matches a row without text.
	blankRow = `^[ \x{a0}]*$`
)

// draft writes what was learnt so far, before it is checked.
func (l *Learner) draft(name string) File {
	in, signs := &l.in, l.signs()
	f := File{
		Name: fileName(name), Commands: []string{}, TUI: true, CommandChars: commandChars, Clear: slices.Clone(l.keys),
		Submit: Submit{Paste: l.paste, Enter: "\r"}, Interrupt: l.Interrupt(),
		Prompt: Prompt{Row: in.row(), Next: in.next(), Below: in.below, Rows: promptRows},
	}
	if l.paste {
		f.Submit.Newline, f.Submit.PieceRows, f.Submit.PieceBytes = "\n", pieceRows, pieceBytes
	}
	switch {
	case !in.marked() && in.up == 0:
		f.Prompt.Cursor, f.Prompt.Next, f.Prompt.Below, f.Prompt.Rows = true, "", "", 0
	case !in.marked():
		f.Prompt.Up, f.Prompt.Next, f.Prompt.Below, f.Prompt.Rows = in.up, "", "", 0
	default:
		if in.above {
			f.Prompt.Above = boxRow
		}
		if !in.above || in.below != boxRow { // a whole box needs nothing else
			f.Prompt.After = in.foot + slack
		}
	}
	for _, shown := range in.empty {
		f.Prompt.Empty = append(f.Prompt.Empty, "^ *"+quote(shown)+"$")
	}
	f.writeSigns(l, signs)
	f.writeAnswer(l, signs)
	f.Unsure = l.unsure(&f, signs)
	return f
}

// fileName returns a name that a profile may have.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("/ \t\n", r):
			return '-'
		case !text.Safe(r):
			return -1
		}
		return r
	}, name)
	if name == "" {
		return "learnt"
	}
	return name
}

// writeSigns writes the signs of work, and that the input means ready.
func (f *File) writeSigns(l *Learner, signs []sign) {
	idle := l.search(&l.turn).rest.titles
	if glyphs := l.titles.sign(idle); len(glyphs) > 0 {
		f.Signs = append(f.Signs, Sign{Rule: "title: a sign of work", State: string(profile.Working), Title: `^` + class(glyphs, idle)})
	}
	named := map[string]bool{}
	for i := range signs {
		what := printable(signs[i].words)
		if signs[i].words == "" {
			what = "a spinner"
		}
		rule := ruleWork + what
		for n := 2; named[rule]; n++ { // each rule of a profile has its own name
			rule = fmt.Sprintf("%s%s (%d)", ruleWork, what, n)
		}
		named[rule] = true
		f.Signs = append(f.Signs, Sign{Rule: rule, State: string(profile.Working), All: []string{signs[i].pattern()}, Rows: min(signs[i].rows+slack, rowsMax)})
	}
	f.Signs = append(f.Signs, Sign{Rule: "the input", State: string(profile.Ready), Prompt: true})
}

// printable returns a text without the characters that a profile may not have in a name.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !text.Safe(r) {
			return -1
		}
		return r
	}, s)
}

// writeAnswer writes what an answer looks like.
func (f *File) writeAnswer(l *Learner, signs []sign) {
	f.drop(lineRow, spinRow, remarkRow)
	if l.remarks {
		f.drop(branchRow)
	}
	for _, row := range l.chromeRows {
		f.drop(rowPattern(row, rowPatternMax))
	}
	for i := range signs {
		f.drop(signs[i].pattern())
	}
	f.Answer.Live = l.borders()
	if len(l.answers) == 0 {
		return
	}
	f.writeEcho(l)
	f.drop(l.remarkPatterns()...)
	f.drop(l.endPatterns()...)
	mark, indent, said := commonMark(l.answers[max(0, len(l.answers)-lastAnswers):])
	if said && mark != 0 {
		f.Answer.Text = fmt.Sprintf(`^[ \x{a0}]*%s(?: +(.*))?$`, quote(string(mark)))
	}
	if said && (mark != 0 || indent > 0) {
		f.Answer.Body = fmt.Sprintf(`^ {0,%d}(.*)$`, indent)
	}
	for _, a := range l.answers {
		if a.wrapped {
			f.Answer.Wrap, f.Answer.Margin = profile.WrapTrim, max(0, l.cols-a.width)
		}
	}
}

// drop adds patterns of rows that are never text.
func (f *File) drop(patterns ...string) {
	for _, p := range patterns {
		if !slices.Contains(f.Answer.Drop, p) {
			f.Answer.Drop = append(f.Answer.Drop, p)
		}
	}
}

// writeEcho writes how a message is shown after it was sent.
func (f *File) writeEcho(l *Learner) {
	a := l.answers[len(l.answers)-1]
	lead := strings.TrimRightFunc(a.lead, isBlank)
	if linesOnly(lead) && !l.barred(lead) {
		f.drop(`^` + begin(lead) + `(?:[ \x{a0}]|$)`)
	}
	if lead == "" || l.marks(lead) {
		return
	}
	f.Answer.Echo = `^` + begin(lead) + `[ \x{a0}]?[ \x{a0}]*(.*?)`
	if a.tail != "" {
		f.Answer.Echo += `[ \x{a0}]*` + quote(a.tail)
	}
	f.Answer.Echo += `$`
}

// borders returns where the live part of the screen begins.
func (l *Learner) borders() []Border {
	in := &l.in
	if !in.marked() {
		if in.above && in.below == boxRow {
			return []Border{{At: strings.TrimSuffix(lineRow, "$") + `\n[ \x{a0}]*$`}}
		}
		return nil
	}
	lead := in.begin()
	b := Border{At: `^` + lead + `(?:[ \x{a0}\n]|$)`}
	if in.above {
		b.At = strings.TrimSuffix(boxRow, "$") + `\n` + lead
	}
	if in.below != "" && in.below != boxRow {
		b.At = `^` + lead + `[^\n]*\n` + strings.TrimPrefix(in.below, "^")
		b.Up = `^` + lead + `$`
	}
	if len(l.chromeRows) > 0 {
		if b.Up = l.chromePattern(rowPatternMax); len(b.Up) > patternMax {
			b.Up = l.chromePattern(shortPatternMax)
		}
	}
	return []Border{b}
}

// chromePattern returns a pattern of the rows right above the input, each of at most limit bytes.
func (l *Learner) chromePattern(limit int) string {
	up := blankRow + `|` + lineRow
	for _, row := range l.chromeRows {
		up += `|` + rowPattern(row, limit)
	}
	return up
}

// commonMark returns what most of the answers begin with, 0 for nothing, and the smallest indent
// of those answers. It reports false if no answer has text.
func commonMark(answers []answer) (mark rune, indent int, said bool) {
	count, most := map[rune]int{}, 0
	for _, a := range answers {
		if a.said {
			if count[a.mark]++; count[a.mark] >= most {
				mark, most = a.mark, count[a.mark]
			}
		}
	}
	for _, a := range answers {
		if a.said && a.mark == mark {
			if !said || a.indent < indent {
				indent = a.indent
			}
			said = true
		}
	}
	return mark, indent, said
}
