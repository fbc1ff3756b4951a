package replay

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
)

// Turn is a message of a recording and its answer.
type Turn struct {
	At      time.Duration // when its Enter was typed
	Until   time.Duration // when the agent was ready again, or when the recording ended
	Message string
	Answer  string
	From    string        // what the answer was read by: "" for the profile, or FromLines, FromLearnt, FromScreen
	State   profile.State // Ready, or the state in which the recording ended
	Failed  bool          // the agent said that the turn failed
}

// The values of Turn.From for a program without a profile.
const (
	// FromLines is an answer of a program that prints lines: all that it printed until the
	// next message was typed.
	FromLines = "lines"
	// FromLearnt is an answer that was read by what the turns have shown, after two of them
	// have shown the same.
	FromLearnt = "learnt"
	// FromScreen is an answer that was read by what this turn alone has shown: it is not sure.
	FromScreen = "screen"
)

// Draws reports whether a program without a profile draws its screen, judging by what the
// screen shows before a message is typed. Otherwise it prints lines.
type Draws func(s term.Snapshot, v state.Verdict) bool

// TurnsOf plays a recording and returns its turns: each message that was typed in it, with
// what a client would have got for it. typed reports whether anything was typed at all,
// because a recording may leave that out. Without draws a program that has no profile is
// read by the generic one. The error is that of the events.
func TurnsOf(p *profile.Profile, header term.CastHeader, all iter.Seq2[term.CastEvent, error], draws Draws) (turns []Turn, typed bool, err error) {
	t, err := follow(p, header, all, draws)
	return t.turns, t.typed, err
}

// events are those of a recording.
type events = iter.Seq2[term.CastEvent, error]

// follow plays a recording and follows its turns.
func follow(p *profile.Profile, header term.CastHeader, all events, draws Draws) (*turnFinder, error) {
	t := &turnFinder{profile: p, strange: p.Name == profile.GenericName && draws != nil, draws: draws}
	t.player = New(p, header, t.onVerdict)
	t.lines = printedLines{lines: t.player.Screen.Lines(), profile: p}
	t.stranger.unknown = p
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
	if until := max(t.ready, end); t.answer == nil || !t.strange {
		return t, t.finish(until, false)
	}
	if t.rested() {
		end = t.answer.restsAt(t.player)
	}
	return t, t.finish(end, false)
}

// answer is the answer of the turn that runs.
type answer interface {
	// see is called after each output.
	see(p *Player)
	// restsAt returns since when the program has been at rest, or when it will be if it
	// draws nothing until then.
	restsAt(p *Player) time.Duration
	// end returns the whole answer. next says that the next message is about to be typed, so
	// the program has said all.
	end(p *Player, next bool) told
}

// told is an answer that was read.
type told struct {
	text string
	from string // Turn.From
	// message is what the program has answered if that is not what was typed; otherwise "".
	message string
}

// turnFinder finds the turns of a recording.
type turnFinder struct {
	profile  *profile.Profile
	strange  bool // the program has no profile
	draws    Draws
	player   *Player
	turns    []Turn
	screens  []term.Snapshot // at the end of each turn
	messages []string        // so far

	typed  bool
	draft  draft
	before *term.Snapshot // the screen at the first key of a message; nil: none is being typed
	drawn  bool           // the program drew its screen then
	// prompted says that a program that prints lines showed its prompt then. Who types at
	// once does not wait until the detector believes the prompt.
	prompted bool

	lines    printedLines
	stranger stranger

	answer answer        // of the turn that runs; nil: none runs
	ready  time.Duration // since when the agent is ready again; 0: it is not
	now    state.Verdict
}

func (t *turnFinder) onVerdict(at time.Duration, v state.Verdict) error {
	t.now = v
	switch {
	case t.answer == nil:
	case v.State != profile.Ready:
		t.ready = 0
	case t.ready == 0:
		t.ready = at
	}
	return nil
}

// play plays an event. If the agent has a profile, its answer is read once it is ready, and
// has drawn nothing for as long as the profile allows or the next key is typed.
func (t *turnFinder) play(e term.CastEvent) error {
	if err := t.player.Until(e.At); err != nil {
		return err
	}
	keys := t.player.keyboard.read(e)
	person := typedByPerson(keys)
	if t.ready > 0 && !t.strange && (person || e.At > t.ready+t.profile.Timing.DrawLimit) {
		if err := t.finish(t.ready, person); err != nil {
			return err
		}
	}
	submitted := sends(keys) && t.now.State == profile.Ready
	if person {
		sent, err := t.press(e.At, keys)
		if err != nil {
			return err
		}
		submitted = submitted || sent
	}
	if err := t.player.play(e, submitted); err != nil {
		return err
	}
	if t.answer != nil && e.Kind == term.CastOutput {
		t.answer.see(t.player)
	}
	return nil
}

// typedByPerson reports whether one of the keys is not what the terminal sends by itself.
func typedByPerson(keys []key) bool {
	return slices.ContainsFunc(keys, func(k key) bool { return k.kind != keyReply })
}

// press handles keys, and reports whether they have sent a message. Only what is typed to
// an agent that is ready, and not to its questions, is a message.
func (t *turnFinder) press(at time.Duration, keys []key) (submitted bool, err error) {
	t.typed = true
	if t.now.State == profile.Asking || t.now.State == profile.Dialogue {
		t.lines.reply()
		return false, nil
	}
	if t.before == nil {
		if begun, err := t.begin(at, keys); !begun || err != nil {
			return false, err
		}
	}
	var sent []string
	for _, k := range keys {
		if message, is := t.draft.press(k); is {
			sent = append(sent, message)
		}
	}
	if len(sent) == 0 {
		if len(t.draft.text) == 0 {
			t.before = nil
		}
		return false, nil
	}
	before := *t.before
	t.before = nil
	if t.now.State != profile.Ready && !t.prompted && !t.strange {
		return false, nil
	}
	s := t.player.Screen.Snapshot()
	input, _ := t.profile.Input(s)
	message := fullMessage(strings.Join(sent, "\n"), input)
	if strings.TrimSpace(message) == "" {
		t.lines.reply()
		return false, nil
	}
	if err := t.finish(at, true); err != nil { // a message ends the turn before it, whatever its state
		return false, err
	}
	t.answer, t.ready = t.read(message, before, s, at), 0
	t.messages = append(t.messages, message)
	t.turns = append(t.turns, Turn{At: at, Message: message})
	return true, nil
}

// begin handles the first key of a message. It reports false if that is none.
func (t *turnFinder) begin(at time.Duration, keys []key) (begun bool, err error) {
	if t.strange && t.answer != nil {
		rests := t.answer.restsAt(t.player)
		if !hasText(keys) && rests > at { // such as the key that stops the agent, or an Enter alone
			t.lines.reply()
			return false, nil
		}
		if err := t.finish(min(rests, at), true); err != nil {
			return false, err
		}
	}
	s := t.player.Screen.Snapshot()
	m, _ := t.profile.Match(s)
	t.prompted = !t.profile.TUI && m.State == profile.Ready
	if t.prompted && t.answer != nil && (hasText(keys) || !sends(keys)) {
		if err := t.finish(at, true); err != nil {
			return false, err
		}
		t.turns[len(t.turns)-1].State = profile.Ready
	}
	t.before, t.drawn = &s, t.profile.TUI
	if t.strange {
		t.drawn = t.draws(s, t.now)
	}
	if t.answer == nil && !t.drawn {
		t.lines.begin("")
	}
	return true, nil
}

func hasText(keys []key) bool {
	return slices.ContainsFunc(keys, func(k key) bool { return k.kind == keyText })
}

// read begins to read the answer to a message. s is the screen at its Enter.
func (t *turnFinder) read(message string, before, s term.Snapshot, at time.Duration) answer {
	switch {
	case !t.drawn:
		t.lines.sent(message, at)
		return &t.lines
	case t.strange:
		t.stranger.sent(message, t.messages, before, s, at)
		return &t.stranger
	}
	r := &drawnAnswer{reader: transcript.NewReader(t.profile, message, t.messages...)}
	r.reader.Begin(before)
	if input, _ := t.profile.Input(s); strings.TrimSpace(input) != "" && !strings.Contains(input, firstLine(message)) {
		if _, pasted := t.profile.WithoutPastes(input); !pasted {
			r.input, r.other = input, transcript.NewReader(t.profile, input, t.messages...)
			r.other.Begin(before)
		}
	}
	return r
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line)
}

// finish reads the answer of the turn that runs, if one runs. next says that the next
// message is about to be typed.
func (t *turnFinder) finish(at time.Duration, next bool) error {
	if t.answer == nil {
		return nil
	}
	turn := &t.turns[len(t.turns)-1]
	turn.Until, turn.State, turn.Failed = at, t.now.State, t.now.Failed
	if t.strange && (next || t.rested()) {
		turn.State = profile.Ready
	}
	read := t.answer.end(t.player, next)
	turn.Answer = read.text
	if t.strange {
		turn.From = read.from
	}
	if read.message != "" {
		turn.Message, t.messages[len(t.messages)-1] = read.message, read.message
	}
	t.screens = append(t.screens, t.player.Screen.Snapshot())
	t.answer, t.ready = nil, 0
	if t.strange && t.stranger.profile != nil && t.stranger.profile != t.profile {
		t.profile = t.stranger.profile
		return t.player.relearn(t.profile)
	}
	return nil
}

// rested reports whether the program of the turn that runs was at rest, before its end if it
// has ended.
func (t *turnFinder) rested() bool {
	now := t.player.elapsed()
	if t.now.State == profile.Exited {
		now = t.now.Since.Sub(t.player.start)
	}
	return t.answer.restsAt(t.player) <= now
}

// drawnAnswer is an answer of an agent that draws its screen and has a profile.
type drawnAnswer struct {
	reader *transcript.Reader
	// input is what stood in the input at the Enter if the message did not stand there. An
	// agent that has lost a paste answers that, and other reads its answer. other is nil if there is no such text.
	input string
	other *transcript.Reader
}

func (r *drawnAnswer) see(p *Player) {
	s := p.Screen.Snapshot()
	for _, reader := range []*transcript.Reader{r.reader, r.other} {
		if reader != nil {
			rows, first := p.Screen.History(reader.Next())
			reader.Read(rows, first, s)
		}
	}
}

// restsAt returns no time: the profile says when the agent is ready.
func (r *drawnAnswer) restsAt(*Player) time.Duration { return 0 }

func (r *drawnAnswer) end(p *Player, _ bool) told {
	s := p.Screen.Snapshot()
	final := func(reader *transcript.Reader) string {
		rows, first := p.Screen.History(reader.Next())
		return reader.Final(rows, first, s)
	}
	text := final(r.reader)
	if r.other != nil && text == "" {
		if other := final(r.other); other != "" {
			return told{text: other, message: r.input}
		}
	}
	return told{text: text}
}
