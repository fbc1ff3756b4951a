package transcript_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
)

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
		p, err := agent.Load(l.profile)
		if err != nil {
			t.Fatal(err)
		}
		a.reader, a.given = transcript.NewReader(p, "again"), ""
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
// what takes a hundred times as much of the processor looks at everything again
// and again.
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

// processorTime is what this process has used: how busy the machine is does not
// count.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func readEndless(t *testing.T, lines int) time.Duration {
	p, err := agent.Load("claude")
	if err != nil {
		t.Fatal(err)
	}
	screen := term.New(term.Options{Answers: term.AnswerNone})
	r := transcript.NewReader(p, "go on")
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
		s := screen.Snapshot()
		rows, first := screen.History(r.Next())
		start := processorTime(t)
		text = r.Read(rows, first, s)
		took += processorTime(t) - start
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
	f.Add(uint8(4), "0", []byte("\x1b[?1049h  ┃  \xfa\xfa\xfa\xfa"), uint8(0))
	var profiles []*profile.Profile
	for _, name := range []string{"claude", "codex", "gemini", "generic", "opencode"} {
		p, err := agent.Load(name)
		if err != nil {
			f.Fatal(err)
		}
		profiles = append(profiles, p)
	}
	f.Fuzz(func(t *testing.T, which uint8, prompt string, output []byte, piece uint8) {
		p := profiles[int(which)%len(profiles)]
		screen := term.New(term.Options{Cols: 40, Rows: 10, Answers: term.AnswerNone})
		r := transcript.NewReader(p, prompt)
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
		if message, ok := r.Failure(s); ok && (message == "" || len(message) > 5000) {
			t.Errorf("it failed with %q", message)
		}
	})
}
