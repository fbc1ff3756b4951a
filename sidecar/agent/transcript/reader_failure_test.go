package transcript_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
)

// failed is what each of the agents shows of a model that answers with an error.
// The recordings have three turns: `hello`, `FAIL:400` and `again`.
var failed = map[string]string{
	"claude/testdata/answers/197-failed": "API Error: 400 stub failure",
	"claude/testdata/answers/328-failed": "API Error: 400 stub failure",
	"codex/testdata/answers/failed":      `{"type":"error","error":{"type":"stub_error","code":400,"message":"stub failure","status":"STUB"}}`,
	"gemini/testdata/answers/failed":     `[API Error: {"type":"error","error":{"type":"stub_error","code":400,"message":"stub failure","status":"STUB"}}]`,
	"opencode/testdata/answers/failed":   "stub failure",
}

// TestReaderSeesFailures holds that an error is told from an answer, and that it
// is no error of the turns before and after.
func TestReaderSeesFailures(t *testing.T) {
	for name, want := range failed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header, events := agenttest.Recording(t, "../"+name+".cast")
			p := drawnBy(name)
			screen := term.New(term.Options{Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone})
			var reader *transcript.Reader
			var shown []string
			end := func() {
				if reader == nil {
					return
				}
				s := screen.Snapshot()
				rows, first := screen.History(reader.Next())
				reader.Final(rows, first, s)
				message, ok := reader.Failure(s)
				if ok != (message != "") {
					t.Errorf("failed is %t, with %q", ok, message)
				}
				shown = append(shown, message)
			}
			messages := []string{"hello", "FAIL:400", "again"}
			for _, e := range events {
				switch {
				case e.Kind == term.CastMarker && strings.HasPrefix(e.Data, "turn "):
					end()
					reader = transcript.NewReader(p, messages[len(shown)])
					reader.Begin(screen.Snapshot())
				case e.Kind == term.CastOutput && !(len(shown) == 2 && strings.Contains(e.Data, "\x1b[?1049l")):
					if _, err := screen.Write([]byte(e.Data)); err != nil {
						t.Fatal(err)
					}
					if reader != nil {
						rows, first := screen.History(reader.Next())
						reader.Read(rows, first, screen.Snapshot())
					}
				}
			}
			end()
			if got := strings.Join(shown, "\n"); got != "\n"+want+"\n" {
				t.Errorf("the three turns failed with %q, want %q; the screen:\n%s", shown, []string{"", want, ""}, screen.Snapshot().Text())
			}
		})
	}
}

// TestReaderSeesNoFailureInAnAnswer: text that reads like an error is one only
// where it is the last that the agent says.
func TestReaderSeesNoFailureInAnAnswer(t *testing.T) {
	everyLayout(t, func(t *testing.T, l layout) {
		for name, rows := range map[string][]string{
			"in the text":       {l.head + "It said:", "", "  API Error: 400 no", "  ■ unexpected status 400", "  ✕ [API Error: 400]"},
			"before more of it": {"● API Error: 400 no", "", "■ unexpected status", "", "✕ [API Error: 400]", "", l.head + "It went on."},
			"interrupted":       {"■ Conversation interrupted - tell the model what to do differently."},
		} {
			a := newAgentBefore(t, l)
			a.sends("do it", func(rows []string) []string { return rows })
			a.blocks = append(a.blocks, block{rows: append(rows, "")})
			a.below = l.input
			a.draw()
			if message, ok := a.failure(); ok {
				t.Errorf("%s: it failed with %q", name, message)
			}
		}
		a := newAgentBefore(t, l)
		a.blocks = append(a.blocks, block{rows: []string{"● API Error: 400 old", "", "■ old", "", "✕ [API Error: old]", ""}})
		a.draw()
		a.sends("do it again", func([]string) []string { return nil })
		if message, ok := a.failure(); ok {
			t.Errorf("an older turn's error %q was taken for this one's", message)
		}
	})
}

func (a *painter) failure() (string, bool) {
	s := a.screen.Snapshot()
	rows, first := a.screen.History(a.reader.Next())
	a.reader.Final(rows, first, s)
	return a.reader.Failure(s)
}

// TestReaderJoinsAFailuresRows: the agent wraps what went wrong as it does text.
func TestReaderJoinsAFailuresRows(t *testing.T) {
	for _, l := range layouts {
		first := map[string]string{"claude": "● API Error: 400", "codex": "■ unexpected status 400", "gemini": "✕ [API Error: 400"}[l.profile]
		a := newAgentBefore(t, l)
		a.sends("do it", func(rows []string) []string { return rows })
		a.blocks = append(a.blocks, block{rows: []string{first, "  and why it was", "  in two rows", "", "  nothing of it"}})
		a.below = l.input
		a.draw()
		_, want, _ := strings.Cut(first, " ")
		if message, _ := a.failure(); message != want+" and why it was in two rows" {
			t.Errorf("%s: it failed with %q", l.profile, message)
		}
	}
}
