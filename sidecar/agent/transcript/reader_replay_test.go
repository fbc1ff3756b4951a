package transcript_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
)

// said is one turn of a recording: when it was typed (seconds) and what, when
// it was over, and what the model answered, as far as it came to the screen.
type said struct {
	from   float64
	prompt string
	until  float64
	answer string
}

// turnPlayer reads the answers of a recording after every piece of output.
type turnPlayer struct {
	t      *testing.T
	p      *profile.Profile
	screen *term.Screen
	turn   said
	reader *transcript.Reader // of the turn that runs
	given  string
	reads  int // how many of the reads gave something new
}

func (p *turnPlayer) begin(turn said) {
	p.turn, p.given, p.reads = turn, "", 0
	p.reader = transcript.NewReader(p.p, turn.prompt)
	p.reader.Begin(p.screen.Snapshot())
}

func (p *turnPlayer) read(at time.Duration) {
	s := p.screen.Snapshot()
	rows, first := p.screen.History(p.reader.Next())
	now := p.reader.Read(rows, first, s)
	switch {
	case !strings.HasPrefix(now, p.given):
		p.t.Fatalf("%q, at %v: after %q came %q", p.turn.prompt, at, p.given, now)
	case !strings.HasPrefix(p.turn.answer, now):
		p.t.Fatalf("%q, at %v: given %q, which does not begin %q; the screen:\n%s", p.turn.prompt, at, now, p.turn.answer, s.Text())
	case now != p.given:
		p.reads++
	}
	p.given = now
}

func (p *turnPlayer) end() {
	s := p.screen.Snapshot()
	rows, first := p.screen.History(p.reader.Next())
	if got := p.reader.Final(rows, first, s); got != p.turn.answer {
		p.t.Errorf("%q: read\n%q\nwant\n%q; the screen:\n%s", p.turn.prompt, got, p.turn.answer, s.Text())
	}
	if p.reader.Missed() {
		p.t.Errorf("%q: something was missed", p.turn.prompt)
	}
	p.reader = nil
}

// playTurns goes through a recording. It returns how often each turn's answer
// grew.
func playTurns(t *testing.T, p *profile.Profile, file string, turns []said) (reads []int) {
	t.Helper()
	header, events := agenttest.Recording(t, file)
	var clock atomic.Int64 // the screen's own timer looks at it too
	player := turnPlayer{t: t, p: p, screen: term.New(term.Options{
		Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone, Now: func() time.Time { return time.Unix(0, clock.Load()) },
	})}
	for _, e := range events {
		now := e.At.Seconds()
		clock.Store(int64(e.At))
		if player.reader != nil && now >= player.turn.until {
			player.end()
			reads = append(reads, player.reads)
		}
		if player.reader == nil && len(turns) > 0 && now >= turns[0].from {
			player.begin(turns[0])
			turns = turns[1:]
		}
		switch e.Kind {
		case term.CastResize:
			player.screen.Resize(e.Cols, e.Rows)
		case term.CastOutput:
			if _, err := player.screen.Write([]byte(e.Data)); err != nil {
				t.Fatal(err)
			}
			if player.reader != nil {
				player.read(e.At)
			}
		}
	}
	if player.reader != nil {
		player.end()
		reads = append(reads, player.reads)
	}
	if len(turns) > 0 {
		t.Fatalf("%d turns were not reached", len(turns))
	}
	return reads
}

// TestReaderReadsRecordings holds that the answers of real agents are read
// exactly, and that what is given on the way is always the beginning of it.
func TestReaderReadsRecordings(t *testing.T) {
	for name, turns := range recordedTurns {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(name, ",")
			playTurns(t, drawnBy(name), "../"+name+".cast", turns)
		})
	}
}

// TestReaderReadsLongAnswers holds the same of recordings made for it: answers
// longer than the screen, tool calls and a permission dialog between blocks of
// text, and a screen that gets three other sizes in mid-answer.
func TestReaderReadsLongAnswers(t *testing.T) {
	for name, turns := range longTurns {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, turn := range turns {
				if file, ok := strings.CutPrefix(turn.answer, "file:"); ok {
					turns[i].answer = playedText(t, file)
				}
			}
			reads := playTurns(t, drawnBy(name), "../"+name+".cast", turns)
			for i, turn := range turns {
				if n := reads[i]; strings.HasPrefix(turn.prompt, "SLOW:") && n < 10 {
					t.Errorf("%q: given in %d pieces while it was written", turn.prompt, n)
				}
			}
		})
	}
}

// playedText is what the model answered: the text of the file, without the lines
// that had it call a tool.
func playedText(t *testing.T, file string) string {
	t.Helper()
	text := golden.Read(t, filepath.Join("testdata", "plays", file))
	return regexp.MustCompile(`(?m)\n*^%%TOOL.*\n+`).ReplaceAllString(text, "\n\n")
}

var longTurns = map[string][]said{
	"claude/testdata/answers/197-5000": { // the input box pushes its own first row off the screen
		{3.9, "hello", 4.6, "ECHO: hello"},
		{4.66, longMessage(), 99, "ECHO: " + longMessage()},
	},
	"claude/testdata/answers/328-long": {
		{5, "PLAY:bigtools2", 14.9, "file:bigtools2"},
		{14.96, "SLOW:10000 PLAY:slow80", 32.2, "file:slow80"},
		{32.23, "last one", 99, "ECHO: last one"},
	},
	"claude/testdata/answers/328-shapes": {
		{4.05, "PLAY:long100", 6.4, "file:long100"},
		{6.44, "PLAY:para5000", 8.7, "file:para5000"},
		{17.19, "SLOW:5000 PLAY:slowlines", 99, "file:slowlines"},
	},
	"codex/testdata/answers/inline": {
		{5, "PLAY:long100", 99, "file:long100"},
	},
	"codex/testdata/answers/tools": {
		{5, "PLAY:tools", 20.6, "file:tools"},
	},
	"gemini/testdata/answers/long": {
		{5.1, "PLAY:long100", 8.2, "file:long100"},
		{8.3, "PLAY:para5000", 99, "file:para5000"},
	},
}

// longMessage is one line of 5,000 characters.
func longMessage() string {
	var words []string
	for i := range 213 {
		words = append(words, fmt.Sprintf("word %d of the prompt", i))
	}
	return strings.Join(words, ", ") + "."
}

const rejected = "TOOLRESULT: The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."

var recordedTurns = map[string][]said{
	"claude/testdata/prompt": {
		{2.5, "hello pty", 3.5, "ECHO: hello pty"},
		{3.55, "SLOW:3000 one two three four five", 7.7, "ECHO: SLOW:3000 one two three four five"},
	},
	"claude/testdata/input": {
		{1.6, "together in one write", 3.4, "ECHO: together in one write"},
		{3.405, "line one\nline two\nline three", 4.77, "ECHO: line one\nline two\nline three"},
		{4.773, "immediate", 6.02, "ECHO: immediate"},
		{6.03, "unbracketed one\nunbracketed two", 7.25, "ECHO: unbracketed one\nunbracketed two"},
		{7.256, "SLOW:6000 a b c d e f", 99, "ECHO: SLOW:6000"}, // and another message's answer below it
	},
	"claude/testdata/input, queued": {
		{8.658, "queued message", 99, "ECHO: queued message"},
	},
	"claude/testdata/permission": {
		{1.18, "TOOL:write /home/agent/work/f.txt abc", 3.6, "TOOLRESULT: File created successfully at: /home/agent/work/f.txt (file state is current in your context — no need to Read it back)"},
		{3.68, "TOOL:shell touch zz.txt && echo done", 6, ""},
		{6.078, "TOOL:shell touch zz2.txt", 8.3, rejected},
		{8.366, "3TOOL:shell touch zz3.txt", 99, "TOOLRESULT: (Bash completed with no output)"},
	},
	"claude/testdata/hooks": {
		{1, "TOOL:write /home/agent/work/f2.txt abc", 9.38, "TOOLRESULT: File created successfully at: /home/agent/work/f2.txt (file state is current in your context — no need to Read it back)"},
	},
	"claude/testdata/328-osc7501": {
		{6, "hello from osc", 12, "ECHO: hello from osc"},
		{12.03, "TOOL:shell echo permitted > /home/agent/work/osc.txt", 24, "TOOLRESULT: (Bash completed with no output)"},
		{24.03, "SLOW:4000 slow one", 30, "ECHO:"},
	},
	"codex/testdata/prompt": {
		{0.9, "hello ptySLOW:3000 one two three four five", 23, "ECHO: hello ptySLOW:3000 one two three four five"},
	},
	"codex/testdata/nodaemon": {
		{1, "hello pty", 1.5, "ECHO: hello pty"},
	},
	"codex/testdata/permission": {
		{1.2, "TOOL:shell touch /root/zz-escape #escalate", 13, ""},
		{13.1, "TOOL:shell touch zz-ok.txt #escalate", 25, "TOOLRESULT: Chunk ID: e58877\nWall time: 0.0000 seconds\nProcess exited with code 0\nOriginal token count: 0\nOutput:"},
		{25.02, "SLOW:8000 a b c d e f g h", 99, "ECHO:"},
	},
	"gemini/testdata/prompt": {
		{16.8, "hello ptySLOW:4000 one two three four five", 50, "ECHO: hello ptySLOW:4000 one two three four five"},
		{50.1, "onewrite text", 54.4, "ECHO: onewrite text"},
	},
	"gemini/testdata/permission": {
		{2.1, "TOOL:shell touch zz.txt", 6, ""},
		{6.1, "TOOL:write /home/agent/work/g.txt abc", 9.7, `TOOLRESULT: {"output":"Successfully created and wrote to new file: /home/agent/work/g.txt. Here is the updated code:\nabc"}`},
		{9.78, "SLOW:15000 a b c d e f g h i j", 14.2, "ECHO: SLOW:15000"},
		{14.25, "one write again", 30.4, "ECHO: one write again"},
		{30.45, "p one\np two", 31.25, "ECHO: p one\np two"},
	},
	"opencode/testdata/prompt": {
		{57.03, "SLOW:4000 one two three four five", 84.9, "ECHO: SLOW:4000 one two three four five"},
		{85.866, "p one\np two", 87.09, "ECHO: p one\np two"},
	},
	"opencode/testdata/permission": {
		{28, "TOOL:shell touch zz.txt", 38.6, ""},
		{38.66, "TOOL:write /home/agent/work/oc.txt abc", 42.6, "TOOLRESULT: Wrote file successfully."},
		{42.63, "SLOW:20000 a b c d e f g h", 48.6, "ECHO: SLOW:20000"},
	},
}

// drawnBy returns the profile of the agent in whose folder the recording is.
func drawnBy(recording string) *profile.Profile {
	name, _, _ := strings.Cut(recording, "/")
	return agent.For([]string{name})
}
