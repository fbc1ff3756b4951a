package turn

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/hook"
)

// beat is the least time between two looks at a screen that keeps changing. A
// signal of the agent's (a mark, a report) is looked at without delay.
const beat = 5 * time.Millisecond

// echoBeat is how often the terminal is asked whether its echo is back, while a
// line is awaited without: nothing else tells of that.
const echoBeat = 100 * time.Millisecond

// maxSent is how many messages are remembered, and sentBytes how much of each.
const maxSent, sentBytes = 4, 4 << 10

// tty is what the console and the drivers need of a terminal.
type tty interface {
	// WriteContext types p and gives up when ctx ends.
	WriteContext(ctx context.Context, p []byte) (int, error)
	Mode() (proc.Mode, error)
	Size() (proc.Size, error)
	Resize(proc.Size) error
}

var _ tty = (*proc.Terminal)(nil)

// console is a session's terminal as it is known to us: the model of its screen,
// and what the agent is doing. One goroutine writes the agent's output into it;
// everything else may be called from many. Nobody polls: who waits for something
// is woken when it may have changed.
type console struct {
	log     *slog.Logger
	tty     tty
	pid     int // of the agent, its own process group
	profile *profile.Profile
	screen  *term.Screen
	now     func() time.Time
	replies *replier
	record  *term.Recorder // nil: nobody wants one
	// untypable is why nothing can be typed, "" if it can.
	untypable string

	urgent chan struct{} // wakes observe before the beat is over
	late   chan struct{} // keys were dropped, and the person has not been told yet

	// feeding is held while a chunk goes into the model, so that who watches
	// the bytes finds them and the screen in step.
	feeding sync.Mutex
	stream  stream

	mu       sync.Mutex
	detector *state.Detector
	seen     sight
	reports  reports
	typed    string // the message that the agent works on; "": none of ours
	title    string
	sent     []string // the last messages, to know their echoes by
}

// sight is what was to be seen at one moment.
type sight struct {
	screen  term.Snapshot
	verdict state.Verdict
	changed chan struct{} // closed when there is something else to see
}

// consoleOptions configure newConsole.
type consoleOptions struct {
	Log     *slog.Logger
	TTY     tty
	PID     int
	Profile *profile.Profile
	Size    proc.Size
	Person  bool           // a real terminal answers the agent's queries
	Record  *term.Recorder // nil: none
	Now     func() time.Time
	// Untypable is why nothing can be typed, "" if it can.
	Untypable string
}

func newConsole(o consoleOptions) *console {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &console{
		log: o.Log, tty: o.TTY, pid: o.PID, profile: o.Profile, now: o.Now, record: o.Record, untypable: o.Untypable,
		urgent: make(chan struct{}, 1), late: make(chan struct{}, 1), replies: newReplier(o.TTY, o.Now),
		detector: state.NewDetector(o.Profile, o.Now()),
		seen:     sight{changed: make(chan struct{})},
	}
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

// run looks after the console until ctx ends.
func (c *console) run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { c.replies.run(ctx) })
	c.observe(ctx)
	running.Wait()
}

// write takes a chunk of the agent's output. It never waits for anybody who
// watches.
func (c *console) write(chunk []byte) {
	c.feeding.Lock()
	defer c.feeding.Unlock()
	c.stream.add(chunk)
	if c.record != nil {
		c.record.Output(chunk)
	}
	_, _ = c.screen.Write(chunk) // never fails
}

// wrote notes what was typed for a turn. What is typed at a prompt for a
// password is not kept.
func (c *console) wrote(s string) {
	if c.record == nil {
		return
	}
	mode, err := c.tty.Mode()
	c.record.Input([]byte(s), err == nil && (mode.Echo || !mode.Canonical))
}

// resize follows the real size of the terminal.
func (c *console) resize(s proc.Size) {
	c.feeding.Lock()
	defer c.feeding.Unlock()
	c.screen.Resize(int(s.Cols), int(s.Rows))
	c.stream.redrawn()
	if c.record != nil {
		c.record.Resize(int(s.Cols), int(s.Rows))
	}
}

// closeRecord ends the recording, with the exit code of an agent that has ended.
func (c *console) closeRecord(exit *int) error {
	if c.record == nil {
		return nil
	}
	if exit != nil {
		c.record.Exit(*exit)
	}
	return c.record.Close()
}

// styled is what the terminal shows, with the styles, and the number of the first
// byte of the output that is not in it.
func (c *console) styled() (term.Snapshot, uint64) {
	c.feeding.Lock()
	defer c.feeding.Unlock()
	return c.screen.StyledSnapshot(), c.shown()
}

// newest is what the screen shows at this moment, whether somebody has looked at
// it or not.
func (c *console) newest() term.Snapshot { return c.screen.Snapshot() }

// history is the rows that have left the screen, from the one of that number on if
// it is still kept, and the number of the first of them.
func (c *console) history(from uint64) ([]term.Line, uint64) { return c.screen.History(from) }

// keysDropped gets something when keys of people came too late for a question.
func (c *console) keysDropped() <-chan struct{} { return c.late }

// observe looks at the screen whenever it changes, and when time alone may
// change what it means.
func (c *console) observe(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		changed := c.screen.Changed()
		recheck := c.evaluate()
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

// evaluate shows the detector the screen and tells who waits. It says when to
// look again though nothing moves, 0 for never.
func (c *console) evaluate() time.Duration {
	snap := c.screen.Snapshot()
	mode, err := c.tty.Mode()
	t := state.TTY{Canonical: mode.Canonical, Echo: mode.Echo, ChildForeground: err == nil && c.pid != 0 && mode.Foreground != c.pid}
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.detector.Screen(snap, t, now)
	}
	v, recheck := c.detector.Verdict(now)
	c.publish(snap, v)
	if v.State == profile.Asking && v.Source == state.SourceReadline && (recheck == 0 || recheck > echoBeat) {
		recheck = echoBeat
	}
	return recheck
}

// publish lets everybody see something new. The lock is held.
func (c *console) publish(snap term.Snapshot, v state.Verdict) {
	if old := c.seen.verdict; old.State != v.State || old.Kind != v.Kind || old.Source != v.Source {
		c.log.Debug("the agent's state", "state", string(v.State), "kind", v.Kind, "source", v.Source, "rule", v.Rule)
	}
	close(c.seen.changed)
	c.seen = sight{screen: snap, verdict: v, changed: make(chan struct{})}
}

// look is what is to be seen now.
func (c *console) look() sight {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

// poke has the screen looked at without delay.
func (c *console) poke() {
	select {
	case c.urgent <- struct{}{}:
	default:
	}
}

// dropped notes that keys of people came too late for a question.
func (c *console) dropped(keys int) {
	c.log.Info("keys for a question that a caller has answered were dropped", "keys", keys)
	select {
	case c.late <- struct{}{}:
	default:
	}
}

// event takes what the agent tells beside its text.
func (c *console) event(e term.Event) {
	now := c.now()
	c.mu.Lock()
	c.detector.Event(e, now)
	known := e.Kind == term.EventTitle && e.Text == c.title
	if e.Kind == term.EventTitle {
		c.title = e.Text
	}
	c.mu.Unlock()
	if !known {
		c.log.Debug("the agent's terminal tells", "event", eventName(e))
	}
	c.poke()
}

// eventName says what an event is, without what it says: that is the agent's.
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

// report takes what a hook or the channel said of the agent. What is about
// another message than the one that was typed is dropped: agents have threads of
// their own beside it.
func (c *console) report(r channel.Report) {
	p := state.Report{
		Source: state.SourceHook, State: profile.State(r.State), Kind: r.Kind,
		Text: r.Text, Message: r.Message, ID: r.ID, Final: r.Final,
	}
	now := c.now()
	c.mu.Lock()
	concerns := c.typed == "" || hook.Concerns(r, c.typed)
	if concerns {
		if p.State != profile.Starting { // no hook says when that is over
			c.detector.Report(p, now)
		}
		c.reports.add(p)
		if how := hook.Changed(r, c.typed); how != "" && c.typed != "" {
			c.reports.changed = how
		}
	}
	c.mu.Unlock()
	c.log.Debug("a hook reports", "state", string(r.State), "kind", r.Kind, "final", r.Final, "concerns", concerns)
	c.poke()
}

// submitted says that a message's Enter is typed now: what was reported before
// is not about it. Of a line that is one of many, the text is "".
func (c *console) submitted(text string) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.typed = text
	if text != "" {
		c.sent = append(c.sent[max(0, len(c.sent)-maxSent+1):len(c.sent):len(c.sent)], text[:min(len(text), sentBytes)])
	}
	c.detector.Submitted(now)
	c.reports = reports{known: c.reports.known, turns: c.reports.turns}
	v, _ := c.detector.Verdict(now)
	c.publish(c.seen.screen, v)
	c.poke()
}

// earlier are the last messages that were submitted.
func (c *console) earlier() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent
}

// answered says that the turn has ended: reports may be about anything again.
func (c *console) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.typed = ""
}

// ended says that the turn has ended by what only the driver sees.
func (c *console) ended(s agentState) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.detector.Ended(s.Source, s.Rule, s.Confidence, now)
	v, _ := c.detector.Verdict(now)
	c.publish(c.seen.screen, v)
	c.poke()
}

// mark begins a turn in the recording.
func (c *console) mark(n int, task string) {
	if c.record != nil {
		c.record.Marker("turn " + strconv.Itoa(n) + " " + task)
	}
}

// exited says that the agent has ended and all its output is in.
func (c *console) exited() {
	now := c.now()
	c.mu.Lock()
	c.detector.Exited(now)
	c.mu.Unlock()
	c.evaluate()
}

// reports are what hooks said since the last message was typed.
type reports struct {
	known bool   // there ever was one
	turns bool   // of some turn of this session they told both that it began and that it ended
	begun bool   // of this one they told that it is under way
	text  string // the exact answer so far
	any   bool   // there is such a text
	final bool   // it is whole

	changed string // how the message differs that the agent got (hook.Changed…)
}

func (r *reports) add(p state.Report) {
	r.known = true
	r.begun = r.begun || p.State == profile.Working || p.State == profile.Asking
	r.turns = r.turns || r.begun && p.Final
	if p.Text == "" && !p.Final {
		return
	}
	if p.Text != "" || !r.any {
		r.text = p.Text
	}
	r.any = r.any || p.Text != ""
	r.final = p.Final
}

// heard is what hooks said since the last message was typed.
func (c *console) heard() reports {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reports
}
