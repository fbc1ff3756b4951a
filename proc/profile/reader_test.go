package profile_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/a2a-sidecar/sidecar/proc/profile"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

// layout is how an agent draws a turn.
type layout struct {
	profile string
	echo    func(lines []string) []string
	head    string // before the first row of a block of text
	spinner string
	input   []string // the input box and what is below it; {rule} is a rule of the screen's width
	room    int      // how many columns stay free behind the words of a row that was wrapped
	tool    []string // a tool call
	dialog  []string // a permission question in the place of the input box
}

func prefixed(first string) func([]string) []string {
	return func(lines []string) []string {
		rows := make([]string, len(lines))
		for i, l := range lines {
			rows[i] = "  " + l
		}
		rows[0] = first + lines[0]
		return rows
	}
}

var layouts = []layout{
	{
		profile: "claude", echo: prefixed("❯ "), head: "● ", room: 1, spinner: "✢ Fermenting… (1s · ↓ 4 tokens)",
		input:  []string{"{rule}", "❯\u00a0", "{rule}", "  ? for shortcuts · ← for agents"},
		tool:   []string{"● Bash(touch zz.txt && echo done)", "  ⎿  done", "     and more"},
		dialog: []string{"{rule}", " Bash command", "", "   touch zz.txt", "", " Do you want to proceed?", " ❯ 1. Yes", "   2. No", "", " Esc to cancel · Tab to amend"},
	},
	{
		profile: "codex", echo: prefixed("› "), head: "• ", spinner: "• Working (3s • esc to interrupt)",
		input:  []string{"› Ask Codex to do anything", "", "  stub-model default · /home/agent/work"},
		tool:   []string{"• Ran touch zz.txt", "  └ (no output)"},
		dialog: []string{"  Would you like to run the following command?", "", "  $ touch zz.txt", "", "› 1. Yes, proceed (y)", "  2. No (esc)", "", "  Press enter to confirm or esc to cancel"},
	},
	{
		profile: "gemini", echo: func(lines []string) []string {
			rows := []string{strings.Repeat("▄", 30)}
			for i, l := range lines {
				rows = append(rows, map[bool]string{true: " > ", false: "   "}[i == 0]+l)
			}
			return append(rows, strings.Repeat("▀", 30))
		}, head: "✦ ", spinner: " ⠋ Thinking... (esc to cancel, 2s)",
		input:  []string{"{rule}", " Shift+Tab to accept edits", "▄▄▄▄", " >   Type your message or @path/to/file", "▀▀▀▀", " workspace (/directory)"},
		tool:   []string{"  ✓  WriteFile  g.txt → Accepted (+1, -0)", "", "      1 abc"},
		dialog: []string{"╭──────────╮", "│ ? Shell  touch zz.txt", "│ Allow execution of [Shell]?", "│ ● 1. Allow once", "╰──────────╯", "{rule}", " Shift+Tab to accept edits"},
	},
}

// wrapped breaks a line as the agents do: at blanks, and words that are longer
// than a row anywhere.
func wrapped(line string, width, room int) []string {
	var rows []string
	row := ""
	for i, word := range strings.Split(line, " ") {
		if i > 0 {
			if runewidth.StringWidth(row)+1+runewidth.StringWidth(word) <= width-room {
				row += " " + word
				continue
			}
			rows = append(rows, row)
			row = ""
		}
		for runewidth.StringWidth(word) > width {
			piece := runewidth.Truncate(word, width, "")
			rows, word = append(rows, piece), word[len(piece):]
		}
		row = word
	}
	return append(rows, row)
}

// agent draws a transcript with a live region below it, as agents on the main
// screen do: the live region is drawn anew each time, the rest stays.
type agent struct {
	t      *testing.T
	layout layout
	screen *term.Screen
	cols   int
	clock  atomic.Int64
	blocks []block // the whole transcript, to be drawn for another width
	below  []string
	height int // of the live region on the screen
	rows   int // how many rows of the transcript were drawn
	reader *profile.Reader
	given  string
}

type block struct {
	rows []string // as they are
	text []string // lines to be wrapped
}

func newAgent(t *testing.T, l layout, prompt string) *agent {
	t.Helper()
	a := newAgentBefore(t, l)
	a.sends(prompt, func(rows []string) []string { return rows })
	return a
}

// newAgentBefore is an agent that no message was sent to since its start but an
// older one.
func newAgentBefore(t *testing.T, l layout) *agent {
	t.Helper()
	a := &agent{t: t, layout: l, cols: 120}
	a.screen = term.New(term.Options{Answers: term.AnswerNone, Now: func() time.Time { return time.Unix(0, a.clock.Load()) }})
	a.blocks = []block{{rows: []string{" an agent", ""}}, {rows: append(l.echo([]string{"an older message"}), "")}, {text: []string{"An older answer."}}}
	a.below = l.input
	a.draw()
	return a
}

// sends draws what echo leaves of the message's echo.
func (a *agent) sends(prompt string, echo func(rows []string) []string) {
	a.t.Helper()
	p, err := profile.Load(a.layout.profile)
	if err != nil {
		a.t.Fatal(err)
	}
	a.reader = p.NewReader(prompt)
	a.reader.Begin(a.screen.Snapshot())
	a.blocks = append(a.blocks, block{rows: append(echo(a.layout.echo(strings.Split(prompt, "\n"))), "")})
	a.below = append([]string{a.layout.spinner, ""}, a.layout.input...)
	a.draw()
}

// transcript is all rows of it at the present width.
func (a *agent) transcript() []string {
	var rows []string
	for _, b := range a.blocks {
		rows = append(rows, b.rows...)
		if b.text == nil {
			continue
		}
		indent := a.layout.head
		for _, line := range b.text {
			for _, row := range wrapped(line, a.cols-2, a.layout.room) {
				rows = append(rows, strings.TrimRight(indent+row, " "))
				indent = "  "
			}
		}
		rows = append(rows, "")
	}
	return rows
}

// draw draws what is new above the live region, and the live region.
func (a *agent) draw() {
	var b strings.Builder
	if a.height > 0 {
		fmt.Fprintf(&b, "\r\x1b[%dA\x1b[J", a.height)
	}
	rows := a.transcript()
	changed := rows[min(a.rows, len(rows)):]
	a.rows = max(len(rows)-4, 0) // the last ones may change, and are drawn with the live region
	live := append([]string{}, changed...)
	live = append(live, a.below...)
	a.height = len(rows) - a.rows + len(a.below)
	for _, row := range live {
		b.WriteString(strings.ReplaceAll(row, "{rule}", strings.Repeat("─", a.cols)) + "\r\n")
	}
	a.write(b.String())
}

func (a *agent) write(s string) {
	a.clock.Add(int64(time.Second))
	if _, err := a.screen.Write([]byte(s)); err != nil {
		a.t.Fatal(err)
	}
}

// redraw clears the terminal and draws everything, for another width.
func (a *agent) redraw(cols, rows int) {
	a.screen.Resize(cols, rows)
	a.cols, a.rows, a.height = cols, 0, 0
	a.write("\x1b[2J\x1b[3J\x1b[H")
	a.draw()
}

// read reads what is settled, which has to be the begin of want.
func (a *agent) read(want string) {
	a.t.Helper()
	s := a.screen.Snapshot()
	rows, first := a.screen.History(a.reader.Next())
	now := a.reader.Read(rows, first, s)
	if !strings.HasPrefix(now, a.given) || !strings.HasPrefix(want, now) {
		n := alike(now, want)
		a.t.Fatalf("after %d bytes came %d: %q…, where %q belongs; the screen:\n%s", len(a.given), len(now), clip(now[n:]), clip(want[n:]), s.Text())
	}
	a.given = now
}

func (a *agent) final(want string) {
	a.t.Helper()
	a.below = a.layout.input
	a.draw()
	a.read(want)
	s := a.screen.Snapshot()
	rows, first := a.screen.History(a.reader.Next())
	if got := a.reader.Final(rows, first, s); got != want {
		n := alike(got, want)
		a.t.Errorf("from byte %d on %q… was read, where %q belongs; the screen:\n%s", n, clip(got[n:]), clip(want[n:]), s.Text())
	}
}

// alike is how far two texts are the same.
func alike(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func clip(s string) string { return s[:min(len(s), 100)] }

// say writes a block of text, line by line, and reads after each.
func (a *agent) say(text, want string) {
	a.t.Helper()
	lines := strings.Split(text, "\n")
	a.blocks = append(a.blocks, block{})
	for i := range lines {
		a.blocks[len(a.blocks)-1].text = lines[:i+1]
		a.draw()
		a.read(want)
	}
}

func everyLayout(t *testing.T, test func(t *testing.T, l layout)) {
	for _, l := range layouts {
		t.Run(l.profile, func(t *testing.T) { t.Parallel(); test(t, l) })
	}
}

func TestReaderTakesLookAlikesForText(t *testing.T) {
	everyLayout(t, func(t *testing.T, l layout) {
		const prompt = "say it back"
		lines := []string{
			"It looks like this:", prompt, "❯ " + prompt, "› " + prompt, "> " + prompt, " > " + prompt, "",
			strings.Repeat("─", 60), "╭────────╮", "│ boxed  │", "╰────────╯", "esc to interrupt", "? for shortcuts", "",
			"● Bash(touch it)", "• Ran it", "✦ star", "⠋ Thinking... (esc to cancel, 2s)", "✻ Cogitated for 3s", "Do you want to proceed?", "❯ 1. Yes", "  2. No", "",
			"Bash(touch zz.txt) is what was run.", "", "The end of it.",
		}
		text := strings.Join(lines, "\n")
		a := newAgent(t, l, prompt)
		a.say(text, text)
		a.final(text)
		if !strings.HasPrefix(a.given, text[:len(text)-40]) {
			t.Errorf("given was only %q", a.given)
		}
	})
}

func TestReaderReadsLongLinesAndWideCharacters(t *testing.T) {
	everyLayout(t, func(t *testing.T, l layout) {
		text := strings.TrimSpace(strings.Repeat("five thousand characters in one line ", 136)) + ".\n" +
			"a word " + strings.Repeat("x", 500) + " in between\n\n" +
			strings.Repeat("漢字", 150) + " and more 中文 here\n" +
			"🎉 emoji ✅ and e\u0301 combining\n\nThe end."
		a := newAgent(t, l, "first line\nsecond line\n\nand a third")
		a.say(text, text)
		a.final(text)
	})
}

func TestReaderReadsMoreThanTheScreen(t *testing.T) {
	everyLayout(t, func(t *testing.T, l layout) {
		var lines []string
		for i := range 300 {
			lines = append(lines, fmt.Sprintf("Line %d of it.", i))
			if i%7 == 0 {
				lines = append(lines, "")
			}
		}
		text := strings.Join(lines, "\n")
		a := newAgent(t, l, "much")
		a.say(text, text)
		a.final(text)
		if l.profile != "codex" && len(a.given) < len(text)-20 {
			t.Errorf("given were %d bytes of %d", len(a.given), len(text))
		}
	})
}

func TestReaderLeavesToolCallsAndDialogsOut(t *testing.T) {
	everyLayout(t, func(t *testing.T, l layout) {
		const one, two = "I will look.\n\nIt is in two parts.", "Now it is done."
		want := one + "\n\n" + two
		a := newAgent(t, l, "do it")
		a.say(one, want)
		a.blocks = append(a.blocks, block{rows: l.tool[:1]})
		a.draw()
		a.read(want)
		a.below = l.dialog
		a.draw()
		a.read(want)
		a.below = append([]string{l.spinner, ""}, l.input...)
		a.blocks[len(a.blocks)-1].rows = append(append([]string{}, l.tool...), "")
		a.draw()
		a.read(want)
		a.say(two, want)
		a.final(want)
		if !strings.HasPrefix(a.given, one) {
			t.Errorf("given was only %q", a.given)
		}
	})
}

func TestReaderFollowsAScreenThatIsDrawnAnew(t *testing.T) {
	everyLayout(t, func(t *testing.T, l layout) {
		var lines []string
		for i := range 120 {
			lines = append(lines, fmt.Sprintf("Line %d of it.", i))
		}
		lines = append(lines, strings.Repeat("a long line of words ", 12)+"ends.", "Done.")
		text := strings.Join(lines, "\n")
		a := newAgent(t, l, "much")
		a.blocks = append(a.blocks, block{})
		for i := range lines {
			a.blocks[len(a.blocks)-1].text = lines[:i+1]
			switch i {
			case 40:
				a.redraw(90, 40)
			case 80:
				a.redraw(100, 20)
			case 100:
				a.redraw(120, 40)
			default:
				a.draw()
			}
			a.read(text)
		}
		a.final(text)
	})
}

func TestReaderSameMessageTwice(t *testing.T) {
	everyLayout(t, func(t *testing.T, l layout) {
		a := newAgent(t, l, "again")
		a.say("The first answer.", "The first answer.")
		a.final("The first answer.")
		p, err := profile.Load(l.profile)
		if err != nil {
			t.Fatal(err)
		}
		a.reader, a.given = p.NewReader("again"), ""
		a.reader.Begin(a.screen.Snapshot())
		a.read("") // the message was not sent yet
		a.blocks = append(a.blocks, block{rows: append(l.echo([]string{"again"}), "")})
		a.draw()
		a.read("")
		a.say("The second one.", "The second one.")
		a.final("The second one.")
	})
}

// TestReaderReadsAnything has agents write random texts whose lines end far from
// the right border, so that nothing is lost.
func TestReaderReadsAnything(t *testing.T) {
	everyLayout(t, func(t *testing.T, l layout) {
		for seed := range uint64(12) {
			random := rand.New(rand.NewPCG(seed, 4))
			text := randomText(random, l.room)
			if l.profile == "codex" { // where it breaks between wide characters, a blank cannot be seen
				text = strings.ReplaceAll(text, "漢字", "kanji")
			}
			a := newAgent(t, l, "random")
			a.say(text, text)
			a.final(text)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	})
}

func randomText(r *rand.Rand, room int) string {
	words := []string{"a", "an", "word", "longer", "terminal", "漢字", "e\u0301", "(so)", "x=1;", "→", "é", "wait,", "\"quoted\"", "3.14", "end."}
	var lines []string
	for range 1 + r.IntN(30) {
		if len(lines) > 0 && r.IntN(6) == 0 {
			lines = append(lines, "")
		}
		for {
			var line []string
			for range 1 + r.IntN(60) {
				line = append(line, words[r.IntN(len(words))])
			}
			s := strings.Join(line, " ")
			rows := wrapped(s, 118, room)
			if runewidth.StringWidth(rows[len(rows)-1]) < 80 {
				lines = append(lines, strings.Repeat(" ", 2*(r.IntN(8)/6))+s)
				break
			}
		}
	}
	lines[0] = strings.TrimSpace(lines[0])
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// TestReaderCostsTheSameForEachRow reads answers of 2,000 and 20,000 lines:
// what takes a hundred times as long looks at everything again and again.
func TestReaderCostsTheSameForEachRow(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	few, many := readEndless(t, 2_000), readEndless(t, 20_000)
	t.Logf("2,000 lines: %v, 20,000 lines: %v", few, many)
	if many > 40*few {
		t.Errorf("ten times as many lines take %v instead of %v", many, few)
	}
}

func readEndless(t *testing.T, lines int) time.Duration {
	p, err := profile.Load("claude")
	if err != nil {
		t.Fatal(err)
	}
	screen := term.New(term.Options{Answers: term.AnswerNone})
	r := p.NewReader("go on")
	r.Begin(screen.Snapshot())
	write := func(s string) {
		if _, err := screen.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	rule := strings.Repeat("─", 120)
	live := rule + "\r\n❯\u00a0\r\n" + rule + "\r\n"
	write("❯ go on\r\n\r\n● The first line.\r\n" + live)
	var took time.Duration
	text := ""
	for i := 0; i < lines; i += 20 {
		var b strings.Builder
		b.WriteString("\x1b[3A\x1b[J")
		for j := range 20 {
			fmt.Fprintf(&b, "  Line %d of an answer without an end.\r\n", i+j)
		}
		write(b.String() + live)
		start := time.Now()
		s := screen.Snapshot()
		rows, first := screen.History(r.Next())
		text = r.Read(rows, first, s)
		took += time.Since(start)
	}
	if want := fmt.Sprintf("\nLine %d of an answer without an", lines-1); !strings.HasSuffix(text, want) {
		t.Fatalf("%d lines: it ends with %q", lines, text[len(text)-60:])
	}
	if n := strings.Count(text, "\n"); n != lines {
		t.Errorf("%d lines were read, want %d", n, lines)
	}
	return took
}

// FuzzReader writes anything to a screen, in pieces, while an answer is read:
// what was given never changes.
func FuzzReader(f *testing.F) {
	for i, l := range layouts {
		rows := append(l.echo([]string{"message"}), "", l.head+"some text", "  that goes on", "")
		rows = append(append(rows, l.tool...), "", l.head+"more", l.spinner)
		rows = append(append(rows, l.input...), l.dialog...)
		f.Add(uint8(i), "message", []byte(strings.ReplaceAll(strings.Join(rows, "\r\n"), "{rule}", strings.Repeat("─", 40))), uint8(7))
	}
	f.Add(uint8(3), "x", []byte("> x\r\nthe answer\r\n\x1b[2J\x1b[3J\x1b[H> x\r\nanother"), uint8(3))
	f.Add(uint8(4), "x", []byte("\x1b[?1049h  ┃  x\r\n\r\n     text\r\n\x1b[H\x1b[M"), uint8(5))
	var profiles []*profile.Profile
	for _, name := range []string{"claude", "codex", "gemini", "generic", "opencode"} {
		p, err := profile.Load(name)
		if err != nil {
			f.Fatal(err)
		}
		profiles = append(profiles, p)
	}
	f.Fuzz(func(t *testing.T, which uint8, prompt string, output []byte, piece uint8) {
		p := profiles[int(which)%len(profiles)]
		screen := term.New(term.Options{Cols: 40, Rows: 10, Answers: term.AnswerNone})
		r := p.NewReader(prompt)
		if piece%2 == 0 {
			r.Begin(screen.Snapshot())
		}
		given := ""
		for i := 0; len(output) > 0 && i < 200; i++ {
			n := min(len(output), 1+int(piece))
			if _, err := screen.Write(output[:n]); err != nil {
				t.Fatal(err)
			}
			if output = output[n:]; i%16 == 15 {
				screen.Resize(20+i%50, 3+i%20)
			}
			s := screen.Snapshot()
			rows, first := screen.History(r.Next())
			now := r.Read(rows, first, s)
			if !strings.HasPrefix(now, given) {
				t.Fatalf("after %q came %q", given, now)
			}
			given = now
		}
		s := screen.Snapshot()
		rows, first := screen.History(r.Next())
		final := r.Final(rows, first, s)
		if again := r.Final(nil, r.Next(), s); again != final {
			t.Errorf("first %q, then %q", final, again)
		}
	})
}
