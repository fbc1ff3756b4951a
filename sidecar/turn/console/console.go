package console

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// beat is the shortest time between two looks at a screen that keeps changing. A
// signal of the agent (a mark, a report) is looked at without delay.
const beat = 5 * time.Millisecond

// echoBeat is how often the terminal is asked whether its echo is back while a line is
// awaited without echo, and whether it has gone while a program that reads lines has left
// the cursor behind a text: nothing else reports that.
const echoBeat = 100 * time.Millisecond

// maxSent is how many messages are remembered, and sentBytes how much of each.
const maxSent, sentBytes = 4, 4 << 10

// TTY is what the console and the drivers need of a terminal.
type TTY interface {
	// Type types text and gives up when ctx ends.
	Type(ctx context.Context, text string) (int, error)
	Mode() (tty.Mode, error)
	Size() (tty.Size, error)
	Resize(tty.Size) error
}

var _ TTY = (*tty.Terminal)(nil)

// Console is a session's terminal as the sidecar knows it: the model of its screen,
// and what the agent is doing. One goroutine writes the agent's output into it; all
// other methods may be called from many goroutines. Nothing polls: a caller that
// waits for something is woken when it may have changed.
type Console struct {
	Log     *slog.Logger
	TTY     TTY
	PID     int // process id of the agent, which has its own process group
	Profile *profile.Profile
	screen  *term.Screen
	Now     func() time.Time
	replies *replier
	record  *term.Recorder // nil: nothing is recorded
	// Untypable is why nothing can be typed, "" if it can.
	Untypable string

	waits  func() waits.Look // what the program that has the terminal waits for; nil: nobody knows
	hidden sync.Once         // it was told that this cannot be seen
	looks  Looks

	urgent chan struct{} // wakes observe before the beat is over
	late   chan struct{} // keys were dropped, and the person has not been told yet

	// feeding is held while a chunk goes into the model, so that a watcher finds
	// the bytes and the screen in step.
	feeding sync.Mutex
	stream  stream

	mu       sync.Mutex
	detector *state.Detector
	seen     Observation
	reports  Reports
	typed    string // the sidecar's message that the agent works on; "": none
	title    string
	sent     []string // the last messages, by which their echoes are recognised
}

// Observation is what the screen showed and what the agent did at one moment.
type Observation struct {
	Screen  term.Snapshot
	Verdict state.Verdict
	// Unlooked is true if it is yet to be looked at what the program waits for, so that what
	// its last row looks like is not to be believed.
	Unlooked bool
	Changed  chan struct{} // closed at the next change
}

// Options configure New.
type Options struct {
	Log     *slog.Logger
	TTY     TTY
	PID     int
	Profile *profile.Profile
	Size    tty.Size
	Person  bool           // a real terminal answers the agent's queries
	Record  *term.Recorder // nil: nothing is recorded
	Now     func() time.Time
	// Waits tells what the program that has the terminal waits for; nil if nobody knows.
	Waits func() waits.Look
	// Untypable is why nothing can be typed, "" if it can.
	Untypable string
}

func New(o Options) *Console {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Console{
		Log: o.Log, TTY: o.TTY, PID: o.PID, Profile: o.Profile, Now: o.Now, record: o.Record, Untypable: o.Untypable, waits: o.Waits,
		urgent: make(chan struct{}, 1), late: make(chan struct{}, 1), replies: newReplier(o.TTY, o.Now),
		detector: state.NewDetector(o.Profile, o.Now()),
		seen:     Observation{Changed: make(chan struct{})},
	}
	c.detector.Looks(o.Waits != nil)
	c.stream.more = make(chan struct{})
	answers := term.AnswerAll
	if o.Person {
		answers = term.AnswerStatus
	}
	c.screen = term.New(term.Options{
		Cols: int(o.Size.Cols), Rows: int(o.Size.Rows), Answers: answers, Reply: c.replies.add, Event: c.event,
	})
	c.evaluate()
	return c
}

// Run serves the console until ctx ends.
func (c *Console) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { c.replies.run(ctx) })
	c.observe(ctx)
	running.Wait()
}

// Write takes a chunk of the agent's output. It never waits for a watcher.
func (c *Console) Write(chunk []byte) {
	c.feeding.Lock()
	defer c.feeding.Unlock()
	c.stream.add(chunk)
	if c.record != nil {
		c.record.Output(chunk)
	}
	_, _ = c.screen.Write(chunk) // never fails
}

// Type types text for a turn, and gives up when ctx ends. The recording has it before what
// it leads to, but for what is typed at a password prompt.
func (c *Console) Type(ctx context.Context, s string) (int, error) {
	if c.record != nil {
		mode, err := c.TTY.Mode() // before the program reads a secret and switches the echo on again
		c.record.Input([]byte(s), err == nil && (mode.Echo || !mode.Canonical))
	}
	return c.TTY.Type(ctx, s)
}

// Resize follows the real size of the terminal.
func (c *Console) Resize(s tty.Size) {
	c.feeding.Lock()
	defer c.feeding.Unlock()
	c.screen.Resize(int(s.Cols), int(s.Rows))
	c.stream.redrawn()
	if c.record != nil {
		c.record.Resize(int(s.Cols), int(s.Rows))
	}
}

// CloseRecord ends the recording. It adds the exit code if the agent has ended.
func (c *Console) CloseRecord(exit *int) error {
	if c.record == nil {
		return nil
	}
	if exit != nil {
		c.record.Exit(*exit)
	}
	return c.record.Close()
}

// StyledSnapshot returns what the terminal shows, with the styles, and the offset
// of the first byte of the output that is not in it.
func (c *Console) StyledSnapshot() (term.Snapshot, uint64) {
	c.feeding.Lock()
	defer c.feeding.Unlock()
	return c.screen.StyledSnapshot(), c.shown()
}

// Snapshot returns what the screen shows at this moment, even if observe has not
// looked at it yet.
func (c *Console) Snapshot() term.Snapshot { return c.screen.Snapshot() }

// History returns the rows that have scrolled off the screen, from the row with
// number from if it is still kept, and the number of the first row returned.
func (c *Console) History(from uint64) ([]term.Line, uint64) { return c.screen.History(from) }

// Lines returns what the agent prints, as lines of text.
func (c *Console) Lines() *term.Lines { return c.screen.Lines() }

// KeysDropped receives a value when people's keys came too late for a question.
func (c *Console) KeysDropped() <-chan struct{} { return c.late }

// observe looks at the screen whenever it changes, and when the passing of time
// alone may change what it means.
func (c *Console) observe(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		changed := c.screen.Changed()
		recheck := c.evaluate()
		if c.lookNow() {
			recheck = c.evaluate()
		}
		timer.Stop()
		var due <-chan time.Time
		if recheck > 0 {
			timer.Reset(recheck)
			due = timer.C
		}
		select {
		case <-changed:
			timer.Reset(beat)
			select {
			case <-timer.C:
			case <-c.urgent:
			case <-ctx.Done():
			}
		case <-c.urgent:
		case <-due:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// evaluate shows the screen to the detector and wakes those who wait. It returns
// how long to wait before it has to be called again if nothing changes; 0 means
// never.
func (c *Console) evaluate() time.Duration {
	snap := c.screen.Snapshot()
	mode, err := c.TTY.Mode()
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.detector.Screen(snap, c.terminal(mode), now)
	}
	v, recheck := c.detector.Verdict(now)
	c.publish(snap, v)
	if wait, wanted := c.detector.Due(now); wanted && (recheck == 0 || recheck > wait) {
		recheck = max(wait, 1)
	}
	unseen := v.State == profile.Asking && v.Source == state.SourceReadline
	prompts := v.State == profile.Working && err == nil && mode.Canonical && mode.Echo && snap.CursorCol > 0
	if (unseen || prompts) && (recheck == 0 || recheck > echoBeat) {
		recheck = echoBeat
	}
	return recheck
}

// terminal returns the settings of the terminal as the detector takes them.
func (c *Console) terminal(mode tty.Mode) state.TTY {
	return state.TTY{Canonical: mode.Canonical, Echo: mode.Echo, ChildForeground: c.PID != 0 && mode.Foreground != c.PID}
}

// publish makes a new observation visible to everybody. The lock is held.
func (c *Console) publish(snap term.Snapshot, v state.Verdict) {
	if old := c.seen.Verdict; old.State != v.State || old.Kind != v.Kind || old.Source != v.Source {
		c.Log.Debug("the agent's state", "state", string(v.State), "kind", v.Kind, "source", v.Source, "rule", v.Rule)
	}
	close(c.seen.Changed)
	c.seen = Observation{Screen: snap, Verdict: v, Unlooked: c.detector.Unlooked(c.Now()), Changed: make(chan struct{})}
}

// Look returns the newest observation.
func (c *Console) Look() Observation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

// poke makes observe look at the screen without delay.
func (c *Console) poke() {
	select {
	case c.urgent <- struct{}{}:
	default:
	}
}

// Dropped notes that people's keys came too late for a question.
func (c *Console) Dropped(keys int) {
	c.Log.Info("keys for a question that a caller has answered were dropped", "keys", keys)
	select {
	case c.late <- struct{}{}:
	default:
	}
}

// event takes what the agent sends in addition to its text.
func (c *Console) event(e term.Event) {
	now := c.Now()
	c.mu.Lock()
	c.detector.Event(e, now)
	known := e.Kind == term.EventGivenUp || e.Kind == term.EventTitle && e.Text == c.title
	if e.Kind == term.EventTitle {
		c.title = e.Text
	}
	c.mu.Unlock()
	if e.Kind == term.EventGivenUp {
		c.Log.Warn("the agent's output takes too long to draw: its screen was emptied, and a part of its text is lost", "bytes", e.Code)
	}
	if !known {
		c.Log.Debug("the agent's terminal tells", "event", eventName(e))
	}
	c.poke()
}

// eventName returns the kind of an event without its text, which belongs to the
// agent.
func eventName(e term.Event) string {
	switch e.Kind {
	case term.EventTitle:
		return "title"
	case term.EventBell:
		return "bell"
	case term.EventStatus:
		return "status " + e.Status.State
	case term.EventMark:
		return "mark " + e.Text
	case term.EventNotify:
		return "notification"
	case term.EventProgress:
		return "progress"
	case term.EventBracketedPaste:
		return "bracketed paste"
	case term.EventAlternate:
		return "alternate screen"
	}
	return "other"
}

// Report takes what a hook or the channel said of the agent. A report about another
// message than the one that was typed is dropped: agents have threads of their own
// beside it.
func (c *Console) Report(r channel.Report) {
	p := state.Report{
		Source: state.SourceHook, State: profile.State(r.State), Kind: r.Kind,
		Text: r.Text, Message: r.Message, ID: r.ID, Final: r.Final,
	}
	now := c.Now()
	c.mu.Lock()
	concerns := c.typed == "" || spec.Concerns(r, c.typed)
	if concerns {
		if p.State != profile.Starting { // no hook reports the end of starting
			c.detector.Report(p, now)
		}
		c.reports.add(p)
		if how := spec.Changed(r, c.typed); how != "" && c.typed != "" {
			c.reports.Changed = how
		}
	}
	c.mu.Unlock()
	c.Log.Debug("a hook reports", "state", string(r.State), "kind", r.Kind, "final", r.Final, "concerns", concerns)
	c.poke()
}

// Submitted says that a message's Enter is about to be typed: earlier reports are
// not about this message. For a line that is one of many, text is "".
func (c *Console) Submitted(text string) {
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.typed = text
	if text != "" {
		c.sent = append(c.sent[max(0, len(c.sent)-maxSent+1):len(c.sent):len(c.sent)], text[:min(len(text), sentBytes)])
	}
	c.detector.Submitted(now)
	c.reports = Reports{Known: c.reports.Known, Turns: c.reports.Turns}
	v, _ := c.detector.Verdict(now)
	c.publish(c.seen.Screen, v)
	c.poke()
}

// Sent returns the last messages that were submitted.
func (c *Console) Sent() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent
}

// Answered says that the turn has ended: from now on reports may be about anything.
func (c *Console) Answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.typed = ""
}

// Ended says that the turn has ended, for a reason that only the driver sees.
func (c *Console) Ended(s AgentState) {
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.detector.Ended(s.Source, s.Rule, s.Confidence, now)
	v, _ := c.detector.Verdict(now)
	c.publish(c.seen.Screen, v)
	c.poke()
}

// Relearn gives the agent another profile: what was learnt of it. The drivers that know
// each other's profile tell it themselves.
func (c *Console) Relearn(p *profile.Profile) {
	now := c.Now()
	c.mu.Lock()
	c.detector.Relearn(p, now)
	v, _ := c.detector.Verdict(now)
	c.publish(c.seen.Screen, v)
	c.mu.Unlock()
	c.poke()
}

// Mark records the beginning of a turn.
func (c *Console) Mark(n int, task string) {
	if c.record != nil {
		c.record.Marker("turn " + strconv.Itoa(n) + " " + task)
	}
}

// Exited says that the agent has ended and that all its output was written.
func (c *Console) Exited() {
	now := c.Now()
	c.mu.Lock()
	c.detector.Exited(now)
	c.mu.Unlock()
	c.evaluate()
}

// Reports is what hooks said since the last message was typed.
type Reports struct {
	Known bool   // there was ever a report
	Turns bool   // for some turn of this session, hooks reported both its start and its end
	Begun bool   // hooks reported that this turn is under way
	Text  string // the exact answer so far
	Any   bool   // Text was reported
	Final bool   // Text is complete

	Changed string // how the message that the agent got differs (spec.Changed…), "" if it does not
}

func (r *Reports) add(p state.Report) {
	r.Known = true
	r.Begun = r.Begun || p.State == profile.Working || p.State == profile.Asking
	r.Turns = r.Turns || r.Begun && p.Final
	if p.Text == "" && !p.Final {
		return
	}
	if p.Text != "" || !r.Any {
		r.Text = p.Text
	}
	r.Any = r.Any || p.Text != ""
	r.Final = p.Final
}

// Reports returns what hooks said since the last message was typed.
func (c *Console) Reports() Reports {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reports
}
