package replay

import (
	"iter"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
)

// Turn is a message of a recording and its answer.
type Turn struct {
	At      time.Duration // its Enter
	Until   time.Duration // the agent was ready again, or the recording ended
	Message string
	Answer  string
	State   profile.State // Ready, or what the recording ended in
	Failed  bool          // the agent said that the turn failed
}

// TurnsOf plays a recording and returns its turns: what would have been the answer to
// each message that was typed in it. typed reports whether anything was typed at all; a
// recording may have been made without. The error is that of the events.
func TurnsOf(p *profile.Profile, header term.CastHeader, all iter.Seq2[term.CastEvent, error]) (turns []Turn, typed bool, err error) {
	t, err := follow(p, header, all)
	return t.turns, t.typed, err
}

// events are those of a recording.
type events = iter.Seq2[term.CastEvent, error]

// follow plays a recording and follows its turns.
func follow(p *profile.Profile, header term.CastHeader, all events) (*turnFinder, error) {
	t := &turnFinder{profile: p}
	t.player = New(p, header, t.saw)
	var end time.Duration
	for e, err := range all {
		if err != nil {
			return t, err
		}
		end = e.At
		if err := t.play(e); err != nil {
			return t, err
		}
	}
	if err := t.player.Until(end + Rest); err != nil {
		return t, err
	}
	t.finish(max(t.ready, end))
	return t, nil
}

// Rest is how long after its last event a recording is played on, for what only time
// brings.
const Rest = 2 * time.Second

// turnFinder follows the turns of a recording.
type turnFinder struct {
	profile *profile.Profile
	player  *Player
	turns   []Turn
	screens []term.Snapshot // at the end of each
	sent    []string        // the messages so far

	typed  bool
	line   line
	before *term.Snapshot // the screen at the first key of a message
	marks  uint64         // its cursor's row, counted from the start

	reader *transcript.Reader // of the turn that runs
	ready  time.Duration      // since when the agent is ready again; 0: it is not
	now    state.Verdict
}

func (t *turnFinder) saw(at time.Duration, v state.Verdict) error {
	t.now = v
	switch {
	case t.reader == nil:
	case v.State != profile.Ready:
		t.ready = 0
	case t.ready == 0:
		t.ready = at
	}
	return nil
}

// play takes an event. An answer is read once nothing has been drawn for as long as the
// profile allows after the agent was ready, or when the next key is typed.
func (t *turnFinder) play(e term.CastEvent) error {
	if err := t.player.Until(e.At); err != nil {
		return err
	}
	person := e.Kind == term.CastInput && !AnswersItself(e.Data)
	if t.ready > 0 && (person || e.At > t.ready+t.profile.Timing.DrawLimit) {
		t.finish(t.ready)
	}
	if person {
		t.key(e)
	}
	if err := t.player.Play(e); err != nil {
		return err
	}
	if t.reader != nil && e.Kind == term.CastOutput {
		rows, first := t.player.Screen.History(t.reader.Next())
		t.reader.Read(rows, first, t.player.Screen.Snapshot())
	}
	return nil
}

// key takes what was typed. Only what is typed to an agent that is ready, and not to its
// questions, is a message.
func (t *turnFinder) key(e term.CastEvent) {
	t.typed = true
	if t.now.State == profile.Asking || t.now.State == profile.Dialogue {
		return
	}
	s := t.player.Screen.Snapshot()
	if t.before == nil {
		t.before = &s
	}
	sent := t.line.keys(e.Data)
	if len(sent) == 0 {
		if len(t.line.text) == 0 {
			t.before = nil
		}
		return
	}
	before := *t.before
	t.before = nil
	if t.now.State != profile.Ready {
		return
	}
	input, _ := t.profile.Input(s)
	message := whole(strings.Join(sent, "\n"), input)
	if strings.TrimSpace(message) == "" {
		return
	}
	t.reader = transcript.NewReader(t.profile, message, t.sent...)
	t.reader.Begin(before)
	t.sent, t.ready = append(t.sent, message), 0
	t.marks = s.Scrolled + uint64(s.CursorRow) + 1
	t.turns = append(t.turns, Turn{At: e.At, Message: message})
}

// finish reads the answer of the turn that runs.
func (t *turnFinder) finish(at time.Duration) {
	if t.reader == nil {
		return
	}
	s := t.player.Screen.Snapshot()
	turn := &t.turns[len(t.turns)-1]
	turn.Until, turn.State, turn.Failed = at, t.now.State, t.now.Failed
	if t.profile.Prompt.Cursor {
		turn.Answer = t.printed(s)
	} else {
		rows, first := t.player.Screen.History(t.reader.Next())
		turn.Answer = t.reader.Final(rows, first, s)
	}
	t.screens = append(t.screens, s)
	t.reader, t.ready = nil, 0
}

// printed returns what a program that prints lines has written below the message: the
// rows up to its next prompt.
func (t *turnFinder) printed(s term.Snapshot) string {
	rows, first := t.player.Screen.History(t.marks)
	var text strings.Builder
	if first < t.marks {
		rows = rows[min(len(rows), int(t.marks-first)):]
	}
	for _, l := range rows {
		text.WriteString(l.Text)
		if !l.Wrapped {
			text.WriteByte('\n')
		}
	}
	from := max(0, int(t.marks)-int(s.Scrolled))
	end := s.CursorRow
	if at, _ := profile.AtCursor(s); s.CursorCol > 0 && t.now.State != profile.Ready && at != "" {
		end++
	}
	for i := from; i < end; i++ {
		text.WriteString(s.Lines[i].Text)
		if !s.Lines[i].Wrapped {
			text.WriteByte('\n')
		}
	}
	return strings.TrimRight(text.String(), " \n")
}
