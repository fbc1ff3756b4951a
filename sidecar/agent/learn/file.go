package learn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// File is what was learnt, in the order in which a person reads a profile. Its JSON is a
// profile's file.
type File struct {
	Name         string   `json:"name"`
	About        string   `json:"about,omitempty"`
	Unsure       []string `json:"unsure,omitempty"`
	Extends      string   `json:"extends,omitempty"` // for the questions that every agent may ask
	Commands     []string `json:"commands"`
	TUI          bool     `json:"tui"`
	Signs        []Sign   `json:"signs"`
	Prompt       Prompt   `json:"prompt"`
	Submit       Submit   `json:"submit"`
	CommandChars string   `json:"commandChars"`
	Interrupt    []string `json:"interrupt,omitempty"`
	Clear        []string `json:"clear,omitempty"`
	Answer       Answer   `json:"answer"`
}

// Sign is one of the screen's signs.
type Sign struct {
	Rule   string   `json:"rule"`
	State  string   `json:"state"`
	Title  string   `json:"title,omitempty"`
	All    []string `json:"all,omitempty"`
	Rows   int      `json:"rows,omitempty"`
	Prompt bool     `json:"prompt,omitempty"`
}

// Prompt is the input.
type Prompt struct {
	Row    string   `json:"row"`
	Next   string   `json:"next,omitempty"`
	Above  string   `json:"above,omitempty"`
	Below  string   `json:"below,omitempty"`
	Cursor bool     `json:"cursor,omitempty"`
	Up     int      `json:"up,omitempty"`
	After  int      `json:"after,omitempty"`
	Rows   int      `json:"rows,omitempty"`
	Empty  []string `json:"empty,omitempty"`
}

// Submit says how a message is typed.
type Submit struct {
	Paste   bool   `json:"paste"`
	Enter   string `json:"enter"`
	Newline string `json:"newline,omitempty"`
	// PieceRows and PieceBytes cut a paste into pieces that no agent takes for a document.
	PieceRows  int `json:"pieceRows,omitempty"`
	PieceBytes int `json:"pieceBytes,omitempty"`
}

// Answer tells the text of an answer from what is drawn around it.
type Answer struct {
	Echo   string   `json:"echo,omitempty"`
	Text   string   `json:"text,omitempty"`
	Body   string   `json:"body,omitempty"`
	Drop   []string `json:"drop,omitempty"`
	Live   []Border `json:"live,omitempty"`
	Wrap   string   `json:"wrap,omitempty"`
	Margin int      `json:"margin,omitempty"`
}

// Border is where the live part of the screen begins.
type Border struct {
	At string `json:"at"`
	Up string `json:"up,omitempty"`
}

// pieceRows and pieceBytes are the largest paste that an agent was ever seen to take for text and
// not for a document.
const (
	pieceRows  = 2
	pieceBytes = 400
)

// slack is how many rows more than were seen may follow the input.
const slack = 2

// File returns what was learnt so far. Ask Found first: without an input there is nothing
// to say.
func (l *Learner) File(name string) File {
	in, signs := &l.in, l.signs()
	f := File{
		Name: name, Commands: []string{}, TUI: true, CommandChars: "/!#@", Clear: slices.Clone(l.keys),
		Submit: Submit{Paste: l.paste, Enter: "\r"}, Interrupt: l.Interrupt(),
		Prompt: Prompt{Row: in.row(), Next: in.next(), Below: in.below, Rows: 40},
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
			f.Prompt.Above = frameRow
		}
		if !in.above || in.below != frameRow {
			f.Prompt.After = in.foot + slack // with a whole frame it needs no other sign
		}
	}
	for _, shown := range in.empty {
		f.Prompt.Empty = append(f.Prompt.Empty, "^ *"+quote(shown)+"$")
	}
	f.sign(l, signs)
	f.answer(l, signs)
	f.Unsure = l.unsure(&f, signs)
	return f
}

// sign writes the signs of work, and that the input means ready.
func (f *File) sign(l *Learner, signs []sign) {
	if glyphs, idle := l.works.titles(l.rests...); len(glyphs) > 0 {
		f.Signs = append(f.Signs, Sign{Rule: "title: a sign of work", State: string(profile.Working), Title: `^` + class(glyphs, idle)})
	}
	for i := range signs {
		rule := "work: " + printable(signs[i].words)
		if signs[i].words == "" {
			rule = "work: a spinner"
		}
		f.Signs = append(f.Signs, Sign{Rule: rule, State: string(profile.Working), All: []string{signs[i].pattern()}, Rows: min(signs[i].rows+slack, 60)})
	}
	f.Signs = append(f.Signs, Sign{Rule: "the input", State: string(profile.Ready), Prompt: true})
}

const (
	// frameLine fits a line across the screen, and spinRow a row that begins as rows do that
	// tell of work, or told.
	frameLine = `^[ \x{a0}]*[─━═▀▄╭╮╰╯┌┐└┘]{10,}[ \x{a0}]*$`
	// remarkRow fits what an agent remarks below a row of its own.
	remarkRow = `^[ \x{a0}]*[⎿└][ \x{a0}]`
	spinRow   = `^[ \x{a0}]*[` + text.Spinners + `](?:[ \x{a0}]|$)`
)

var (
	// byEscape and byControl fit what tells how a turn is stopped.
	byEscape  = expression(`\besc(?:ape)? (?:again )?(?:to )?(?:interrupt|cancel|stop)`)
	byControl = expression(`(?:\bctrl[+-]c|\^c)(?: again)? (?:to )?(?:interrupt|cancel|stops?)`)
)

// answer writes how the answer looks.
func (f *File) answer(l *Learner, signs []sign) {
	f.Answer.Drop = []string{frameLine, spinRow, remarkRow}
	for _, row := range l.chromeRows {
		f.Answer.Drop = append(f.Answer.Drop, rowPattern(row))
	}
	for i := range signs {
		f.Answer.Drop = append(f.Answer.Drop, signs[i].pattern())
	}
	if in := &l.in; in.marked() {
		lead := in.begin()
		border := Border{At: `^` + lead + `(?:[ \x{a0}\n]|$)`}
		if in.above {
			border.At = strings.TrimSuffix(frameRow, "$") + `\n` + lead
		}
		if in.below != "" && in.below != frameRow {
			border.At = `^` + lead + `[^\n]*\n` + strings.TrimPrefix(in.below, "^")
			border.Up = `^` + lead + `$`
		}
		if len(l.chromeRows) > 0 {
			border.Up = `^[ \x{a0}]*$|` + frameLine
			for _, row := range l.chromeRows {
				border.Up += "|" + rowPattern(row)
			}
		}
		f.Answer.Live = append(f.Answer.Live, border)
	} else if in.above && in.below == frameRow {
		f.Answer.Live = append(f.Answer.Live, Border{At: strings.TrimSuffix(frameLine, "$") + `\n[ \x{a0}]*$`})
	}
	n := len(l.answers)
	if n == 0 {
		return
	}
	a := l.answers[n-1]
	lead := strings.TrimRightFunc(a.lead, isBlank)
	if side(lead) && !l.barred(lead) {
		f.Answer.Drop = append(f.Answer.Drop, `^`+begin(lead)+`(?:[ \x{a0}]|$)`)
	}
	if lead != "" && !l.marks(lead) {
		f.Answer.Echo = `^` + begin(lead) + `[ \x{a0}]?[ \x{a0}]*(.*?)`
		if a.tail != "" {
			f.Answer.Echo += `[ \x{a0}]*` + quote(a.tail)
		}
		f.Answer.Echo += `$`
	}
	mark, indent, said := commonMark(l.answers[max(0, n-3):])
	f.Answer.Drop = append(f.Answer.Drop, l.chrome()...)
	switch {
	case !said:
	case mark != 0:
		f.Answer.Text = fmt.Sprintf(`^[ \x{a0}]*%s(?: +(.*))?$`, quote(string(mark)))
		f.Answer.Body = fmt.Sprintf(`^ {0,%d}(.*)$`, indent)
	case indent > 0:
		f.Answer.Body = fmt.Sprintf(`^ {0,%d}(.*)$`, indent)
	}
	for _, a := range l.answers {
		if a.wrapped {
			f.Answer.Wrap, f.Answer.Margin = profile.WrapTrim, max(0, l.cols-a.width)
		}
	}
}

// commonMark returns what most of the answers begin with, 0 for nothing, and how far those
// are indented.
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

// Interrupt returns the key that the agent names while it works.
func (l *Learner) Interrupt() []string {
	for _, shot := range l.works.shots {
		for _, row := range shot.rows {
			lower := strings.ToLower(row)
			switch {
			case byEscape().MatchString(lower):
				return []string{"\x1b"}
			case byControl().MatchString(lower):
				return []string{"\x03"}
			}
		}
	}
	return nil
}

// unsure says what was not seen, or only once.
func (l *Learner) unsure(f *File, signs []sign) (all []string) {
	say := func(when bool, what string) {
		if when {
			all = append(all, what)
		}
	}
	say(f.Prompt.Cursor, "prompt: nothing marks the input: the cursor's row is taken for it")
	say(f.Prompt.Up > 0, "prompt: nothing marks the input: a row above the cursor is taken for it")
	say(!l.left, "submit: the message was not seen to leave the input")
	say(f.Prompt.Next == "", "prompt.next: how further rows of the input look")
	say(len(signs) == 0 && len(f.Signs) == 1, "signs: nothing was seen that stands there only while it works: its end is known by rest alone")
	say(len(signs) > 0 && signs[0].covers*10 < signs[0].total*9, "signs: the sign of work was not there all the time")
	say(l.paste && !l.lines, "submit: no message of several lines was typed; a paste is cut into small ones, which agents take for text")
	say(len(f.Interrupt) == 0, "interrupt: no key was named that stops a turn; Ctrl-C is typed")
	say(len(f.Clear) == 0, "clear: no key was tried that empties the input")
	say(f.Answer.Echo == "", "answer.echo: nothing marks a message that was sent")
	say(len(l.answers) < 2, "answer: only one turn was seen")
	say(f.Answer.Wrap == "", "answer.wrap: no answer was seen that is longer than a row")
	say(true, "questions: none was seen; those that every agent may ask are known")
	return all
}

// JSON returns the file.
func (f File) JSON() []byte {
	line, _ := text.JSON(f) // strings and numbers
	var b bytes.Buffer
	_ = json.Indent(&b, line, "", "  ") // it is JSON
	b.WriteByte('\n')
	return b.Bytes()
}

// Profile returns what was learnt as a profile, the same one until more was learnt; nil if no input was found.
func (l *Learner) Profile(name string) *profile.Profile {
	if !l.in.found {
		return nil
	}
	file := string(l.File(name).JSON())
	if l.written.profile != nil && l.written.file == file {
		return l.written.profile
	}
	p, err := profile.Parse(name+".json", []byte(file))
	if err != nil {
		return nil
	}
	l.written.file, l.written.profile = file, p
	p.Asks = profile.Generic().Asks // they come before the signs: the input may stay while it asks
	return p
}

// printable returns a text for people, without what a profile may not have in one.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r > 0xffff || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
}
