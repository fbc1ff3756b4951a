package term_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// agents is where the agents' folders are: what is known of one, its recordings too, is
// in its folder.
const agents = "../../sidecar/agent/"

// unmatched are screens that are not of the recording beside them, and why.
var unmatched = map[string]string{
	"claude/testdata/permission.no-selected": "of another run: it says Baked where the recording says Crunched",
}

// TestAgreesWithRecordedAgents replays recordings of real agents, NAME.cast, which have
// the screen as it was after steps of them beside them, NAME.STEP.screen. They do not
// say when, so each screen must be there, to the last character, at one moment of the
// replay.
func TestAgreesWithRecordedAgents(t *testing.T) {
	screens, err := filepath.Glob(agents + "*/testdata/*.*.screen")
	if err != nil || len(screens) < 100 {
		t.Fatal(len(screens), err)
	}
	moments := map[string][][]string{}
	for _, file := range screens {
		step := strings.TrimSuffix(strings.TrimPrefix(file, agents), ".screen")
		name, _, _ := strings.Cut(step, ".")
		t.Run(step, func(t *testing.T) {
			if moments[name] == nil {
				moments[name] = replayAll(t, agents+name+".cast")
			}
			want := screenText(read(t, file))
			matched := slices.ContainsFunc(moments[name], func(shown []string) bool { return slices.Equal(shown, want) })
			if why, known := unmatched[step]; matched == known {
				t.Errorf("the screen was there: %v (%s)", matched, why)
			}
		})
	}
}

// replayAll returns what the screen showed after each event.
func replayAll(t *testing.T, file string) (moments [][]string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	header, events, err := term.ReadCast(f)
	if err != nil {
		t.Fatal(err)
	}
	s := term.New(term.Options{Cols: header.Cols, Rows: header.Rows})
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case term.CastOutput:
			s.Write([]byte(mend(e.Data)))
		case term.CastResize:
			s.Resize(e.Cols, e.Rows)
		}
		// The screens were taken with another path than the recordings.
		shown := strings.ReplaceAll(s.Snapshot().Text(), "/tmp/agents/work", "/home/agent/work")
		moments = append(moments, screenText(shown))
	}
	return moments
}

// mend puts back a rune that lay across two reads when it was recorded: one byte
// is lost at the end of an event and two at the begin of the next. It happened
// in lines of gemini's boxes only.
func mend(data string) string {
	if rest, cut := strings.CutSuffix(data, "\ufffd"); cut {
		data = rest + "─"
	}
	return strings.TrimPrefix(data, "\ufffd\ufffd")
}
