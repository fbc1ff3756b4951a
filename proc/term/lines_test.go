package term_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// linesOf returns the lines that a program has printed, the current one last.
func linesOf(cols int, chunks ...string) (out []string) {
	s := term.New(term.Options{Cols: cols})
	lines := s.Lines()
	lines.Keep(true)
	for _, c := range chunks {
		write(s, c)
	}
	text := lines.Read()
	for _, l := range text.Finished {
		out = append(out, l.Text)
	}
	return append(out, text.Current)
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "one\r\ntwo\r\n> ", "one|two|> "},
		{"colours and titles", "\x1b]0;title\x07\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\r\n", "red link|"},
		{"overwritten", "10%\r50%\r100%\r\n", "100%|"},
		{"erased", "Progress\r\x1b[Kdone\r\n", "done|"},
		{"backspace", "helo\b\x1b[Klo\r\n", "hello|"},
		{"insert and delete", "abXd\x1b[2D\x1b[Pc\r\n", "abc|"}, // delete takes the X
		{"insert in the middle", "ad\b\x1b[2@bc\r\n", "abcd|"},
		{"edits stay on their line of the screen", strings.Repeat("x", 12) + "\x1b[A\x1b[2D\x1b[@Y\x1b[3P\x1b[K\r\n", "Y         xx|"},
		{"cursor forward", "a\r\x1b[2Cc\r\n", "a c|"},
		{"wrapped row is one row", strings.Repeat("x", 25) + "\r\n", strings.Repeat("x", 25) + "|"},
		{"carriage return in a wrapped row", strings.Repeat("x", 12) + "\rY\r\n", "xxxxxxxxxxYx|"},
		{"bracketed paste modes", "\x1b[?2004h> \x1b[?2004l\r\n", "> |"},
		{"C1 are no controls, and no text", "a\u009b31mb\u009d0;t\u009c\x07c", "a31mb0;tc"},
		{"unfinished sequences", "a\x1b[31", "a"},
		{"sequence cut by another", "a\x1b]0;x\x1b[31mb", "ab"},
		{"broken rune", "a\xc3\x1b[0mb", "a\ufffdb"},
		{"huge numbers", "a\x1b[9999999999Cb\x1b[9999999999Zc\r\n", "a        bc|"},
		{"DCS", "\x1bP+q544e\x1b\\x", "x"},
		{"tabs and blanks are kept", "a\tb\t\t\t\tc  \r\n \t \r\n", "a\tb\t\t\t\tc  | \t |"},
		{"the alternate screen has no lines", "a\x1b[?1049hno\r\nno\rno\x1b[Kno\x1b[2P\x1b[?1049lb\r\n", "ab|"},
		{"wide characters wrap by columns", strings.Repeat("世", 7) + "\rx\r\n", "世世世世世x世|"},
		{"wide rows drawn again", strings.Repeat("世", 7) + "\r\x1b[A\x1b[Jnew\r\n", "new|"},
		{"a row with a tab drawn again", "\tabcdef\r\x1b[A\x1b[Jnew\r\n", "new|"},
		{"a prompt with wide text drawn again", "> " + strings.Repeat("世", 6) + "\x1b[A\r\x1b[J> 世\r\n", "> 世|"},
		{"a wide row erased above another", strings.Repeat("世", 7) + "\x1b[A\r\x1b[Kab\r\n", "ab   世世|"},
		{"three rows drawn again", strings.Repeat("世", 12) + "\x1b[2A\r\x1b[Jnew\r\n", "new|"},
		{"combining marks", "e\u0301a\u00ad\r\n", "e\u0301a\u00ad|"},
		{"what the last column loses", "\x1b[?7l0123456789abc世d\r\n", "0123456789abc世d|"},
		{"insert mode", "ad\b\x1b[4hbc\x1b[4l\r\n", "abcd|"},
		{"erase characters", "abcd\r\x1b[2X\r\n", "  cd|"},
		{"erase the end of a line", "abcd\b\b\x1b[9X\r\n", "ab|"},
		{"erase the start of a row", strings.Repeat("x", 13) + "\b\x1b[1K\r\n", strings.Repeat("x", 10) + "   |"},
		{"erase a row", "abcdef\b\b\x1b[2Kx\r\n", "    x|"},
		{"back over a tab", "\ta\x1b[9Dx\r\n", "xa|"},
		{"erase below", strings.Repeat("x", 13) + "\x1b[A\x1b[J\r\n", "xxx|"},
		{"the cursor does not leave its row", "0123456789ab\x1b[9Dx\r\n", "0123456789xb|"},
		{"back from the last column", "0123456789\x1b[2Dx\r\n", "0123456x89|"},
		{"repeated", "a\x1b[3b\r\n", "aaaa|"},
		{"line drawing", "\x1b(0lqk\x1b(B\r\n", "┌─┐|"},
		{"down to another line", "abc\x1b[1G\x1b[1B\x1b[1G\x1b[Kdef\r\n", "abc|def|"},
		{"a list below a line, and away again", "> ab\x1b[1B\x1b[3Gabc\x1b[1B\x1b[3Gabd\x1b[2A\x1b[5Gc\x1b[1B\x1b[1G\x1b[Kout\r\n", "> abc|out|"},
		{"lines below a line", "a\x1b[2B\x1b[1Gb\r\n", "a||b|"},
		{"down within a line", strings.Repeat("x", 12) + "\x1b[A\x1b[1G\x1b[BY\r\n", "xxxxxxxxxxYx|"},
		{"down after a move that was not followed", "a\r\nb\r\nc\x1b[2A\x1b[2B\r\n", "a|b|c|"},
		{"up over blank lines", "In: \r\n\r\n\r\n \b\x1b[3A\x1b[4Cx", "In: x"},
		{"up over a blank line to a wrapped one", strings.Repeat("x", 12) + "\r\n\r\n\x1b[2A\x1b[2Cy", strings.Repeat("x", 12) + "y"},
		{"not up over text", "a\r\nb\r\n\x1b[2Ac", "a|b|c"},
		{"next line and index", "a\x1bEb\x1bDc", "a|b|c"},
	} {
		if got := strings.Join(linesOf(10, c.in), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		var bytewise []string
		for i := range len(c.in) {
			bytewise = append(bytewise, c.in[i:i+1])
		}
		if got := strings.Join(linesOf(10, bytewise...), "|"); got != c.want {
			t.Errorf("%s, byte by byte: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestLongLine: a line of more than 1 Mi runes comes in pieces.
func TestLongLine(t *testing.T) {
	s := term.New(term.Options{})
	lines := s.Lines()
	lines.Keep(true)
	in := strings.Repeat("0123456789", 250_000)
	write(s, in+"\r\nnext\r\n")
	var got string
	finished := lines.Read().Finished
	for i, p := range finished {
		if p.Whole != (i >= 2) {
			t.Errorf("piece %d of %d: whole is %v", i, len(finished), p.Whole)
		}
		got += p.Text
	}
	if len(finished) != 4 || got != in+"next" {
		t.Errorf("%d pieces with %d bytes", len(finished), len(got))
	}
}

// TestKeptLines: finished lines are there once, and only while they are kept.
func TestKeptLines(t *testing.T) {
	s := term.New(term.Options{})
	write(s, "before")
	lines := s.Lines()
	write(s, "\r\none\r\ntwo")
	if text := lines.Read(); len(text.Finished) != 0 || text.Current != "two" || lines.Unread() != 0 {
		t.Errorf("not kept: %+v", text)
	}
	lines.Keep(true)
	write(s, "\r\nthree\r\n")
	if n := lines.Unread(); n != len("two\nthree\n") {
		t.Errorf("%d bytes are unread", n)
	}
	text := s.Lines().Read()
	if want := []term.Printed{{Text: "two", Whole: true}, {Text: "three", Whole: true}}; !slices.Equal(text.Finished, want) {
		t.Errorf("kept: %+v", text)
	}
	if again := lines.Read(); len(again.Finished) != 0 || again.Changed != text.Changed {
		t.Errorf("again: %+v", again)
	}
	write(s, "four\r\n")
	select {
	case <-text.Changed:
	default:
		t.Error("nobody was told of the fourth")
	}
	lines.Keep(false)
	if n := lines.Unread(); n != 0 {
		t.Errorf("%d bytes are unread, of which none are kept", n)
	}
}

// TestLinesBeforeState: who gets an event, or sees a change of the screen, can read
// the text that came before it.
func TestLinesBeforeState(t *testing.T) {
	var lines *term.Lines
	var read []string
	s := term.New(term.Options{Event: func(term.Event) { read = append(read, lines.Read().Finished[0].Text) }})
	lines = s.Lines()
	lines.Keep(true)
	changed := s.Changed()
	written := make(chan struct{})
	go func() {
		defer close(written)
		write(s, "one\r\n")
	}()
	<-changed
	if text := lines.Read(); len(text.Finished) != 1 {
		t.Errorf("the screen has changed, and the text is %+v", text)
	}
	<-written
	write(s, "two\r\n\x1b]133;A\x07$ ")
	if !slices.Equal(read, []string{"two"}) {
		t.Errorf("with the event came %q", read)
	}
}

// FuzzLines: however the output is cut, the text is the same and has no escape
// in it.
func FuzzLines(f *testing.F) {
	f.Add("one\r\ntwo\x1b[31m\x1b]0;t\x07é\xff\b\t", 3)
	f.Add("\x1b[9999999999Z\x1b[999999@\x1b[9A\x1b[2K\x1b[1K\x1b[J", 1)
	f.Fuzz(func(t *testing.T, s string, at int) {
		if len(s) > 1<<16 {
			return
		}
		at = min(max(at, 0), len(s))
		whole, cut := linesOf(20, s), linesOf(20, s[:at], s[at:])
		if !slices.Equal(whole, cut) {
			t.Errorf("cut at %d: %q and %q", at, whole, cut)
		}
		if strings.ContainsRune(strings.Join(whole, ""), 0x1b) {
			t.Errorf("an escape in %q", whole)
		}
	})
}
