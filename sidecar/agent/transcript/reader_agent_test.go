package transcript_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
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

// painter draws a transcript with a live region below it, as agents on the main
// screen do: the live region is drawn anew each time, the rest stays.
type painter struct {
	t      *testing.T
	layout layout
	screen *term.Screen
	cols   int
	clock  atomic.Int64
	blocks []block // the whole transcript, to be drawn for another width
	below  []string
	height int // of the live region on the screen
	rows   int // how many rows of the transcript were drawn
	reader *transcript.Reader
	given  string
}

type block struct {
	rows []string // as they are
	text []string // lines to be wrapped
}

func newAgent(t *testing.T, l layout, prompt string) *painter {
	t.Helper()
	a := newAgentBefore(t, l)
	a.sends(prompt, func(rows []string) []string { return rows })
	return a
}

// newAgentBefore is an agent that no message was sent to since its start but an
// older one.
func newAgentBefore(t *testing.T, l layout) *painter {
	t.Helper()
	a := &painter{t: t, layout: l, cols: 120}
	a.screen = term.New(term.Options{Answers: term.AnswerNone, Now: func() time.Time { return time.Unix(0, a.clock.Load()) }})
	a.blocks = []block{{rows: []string{" an agent", ""}}, {rows: append(l.echo([]string{"an older message"}), "")}, {text: []string{"An older answer."}}}
	a.below = l.input
	a.draw()
	return a
}

// sends draws what echo leaves of the message's echo.
func (a *painter) sends(prompt string, echo func(rows []string) []string) {
	a.t.Helper()
	p, err := agent.Load(a.layout.profile)
	if err != nil {
		a.t.Fatal(err)
	}
	a.reader = transcript.NewReader(p, prompt)
	a.reader.Begin(a.screen.Snapshot())
	a.blocks = append(a.blocks, block{rows: append(echo(a.layout.echo(strings.Split(prompt, "\n"))), "")})
	a.below = append([]string{a.layout.spinner, ""}, a.layout.input...)
	a.draw()
}

// transcript is all rows of it at the present width.
func (a *painter) transcript() []string {
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
func (a *painter) draw() {
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

func (a *painter) write(s string) {
	a.clock.Add(int64(time.Second))
	if _, err := a.screen.Write([]byte(s)); err != nil {
		a.t.Fatal(err)
	}
}

// redraw clears the terminal and draws everything, for another width.
func (a *painter) redraw(cols, rows int) {
	a.screen.Resize(cols, rows)
	a.cols, a.rows, a.height = cols, 0, 0
	a.write("\x1b[2J\x1b[3J\x1b[H")
	a.draw()
}

// read reads what is settled, which has to be the begin of want.
func (a *painter) read(want string) {
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

func (a *painter) final(want string) {
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
func (a *painter) say(text, want string) {
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
