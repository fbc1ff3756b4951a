package qwen_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
)

// Where a row of an answer is full, qwen begins the next one with the blank that
// had no room; while the answer comes it puts that blank at the end, a column
// earlier. Both are one line.
func TestWrappedLines(t *testing.T) {
	full := strings.Repeat("abcdefghi ", 11) + "abcdef" // as wide as text can be
	for name, rows := range map[string][]string{
		"the blank begins a row": {"  ✦ " + full, "     the end", "    next"},
		"a word has no room":     {"  ✦ " + full[:112], "    xyzxyz the end", "    next"},
	} {
		t.Run(name, func(t *testing.T) {
			s := term.New(term.Options{Cols: 120, Rows: 40, Answers: term.AnswerNone})
			r := transcript.NewReader(agent.For([]string{"qwen"}), "hello")
			r.Begin(s.Snapshot())
			box := strings.Repeat("─", 120)
			drawn := append(append([]string{"  > hello", ""}, rows...), "", box, ">   Type your message or @path/to/file", box)
			if _, err := s.Write([]byte(strings.Join(drawn, "\r\n"))); err != nil {
				t.Fatal(err)
			}
			first := strings.TrimSpace(strings.TrimPrefix(rows[0], "  ✦ "))
			want := first + " " + strings.TrimSpace(rows[1]) + "\nnext"
			history, from := s.History(r.Next())
			if got := r.Final(history, from, s.Snapshot()); got != want {
				t.Errorf("read %q, want %q", got, want)
			}
		})
	}
}

func TestSignIn(t *testing.T) {
	text := golden.Read(t, "testdata/sign-in.screen")
	s := term.New(term.Options{Cols: 120, Rows: 40, Answers: term.AnswerNone})
	if _, err := s.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n"))); err != nil {
		t.Fatal(err)
	}
	m, ok := agent.For([]string{"qwen"}).Match(s.Snapshot())
	if !ok || m.State != profile.Dialogue || m.Kind != profile.KindAuth || !strings.Contains(m.Hint, "OPENAI_API_KEY") {
		t.Errorf("%v, %+v", ok, m)
	}
}

func TestPastes(t *testing.T) {
	rest, pasted := agent.For([]string{"qwen"}).WithoutPastes("x [Pasted Content 5000 chars][Pasted Content 111 chars]")
	if rest != "x " || !pasted {
		t.Errorf("%q, %v", rest, pasted)
	}
}
