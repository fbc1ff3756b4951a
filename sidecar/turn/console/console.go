package console

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// TTY is what the console and the drivers need of a terminal.
type TTY interface {
	// Type types text and gives up when ctx ends.
	Type(ctx context.Context, text string) (int, error)
	Mode() (tty.Mode, error)
	Size() (tty.Size, error)
	Resize(tty.Size) error
}

var _ TTY = (*tty.Terminal)(nil)

// Console is the terminal of a session as the sidecar knows it: the model of its screen,
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

	waits  *looker   // nil: the console cannot see what the agent waits for
	hidden sync.Once // the log says that a look was hidden
	hangs  sync.Once // the log says that a look hangs

	urgent chan struct{} // wakes observe before the beat is over
	late   chan struct{} // keys were dropped, and the person has not been told yet

	// feeding is held while a chunk goes into the model, so that a watcher finds
	// the bytes and the screen in step.
	feeding sync.Mutex
	stream  stream

	mu       sync.Mutex
	detector *state.Detector
	looks    Looks
	newest   term.Snapshot // the newest screen that the detector was shown
	seen     Observation
	reports  Reports
	typed    string // the sidecar's message that the agent works on; "": none
	title    string
	sent     []string // the last messages, by which their echoes are recognised
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
	// Waits tells what the program that has the terminal waits for. It may hang. If it is nil,
	// the console cannot see what the program waits for.
	Waits func() waits.Look
	// Untypable is why nothing can be typed, "" if it can.
	Untypable string
}

// New returns a Console. Run serves it.
func New(o Options) *Console {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Console{
		Log: o.Log, TTY: o.TTY, PID: o.PID, Profile: o.Profile, Now: o.Now, record: o.Record, Untypable: o.Untypable,
		urgent: make(chan struct{}, 1), late: make(chan struct{}, 1), replies: newReplier(o.TTY, o.Now),
		detector: state.NewDetector(o.Profile, o.Now()),
		seen:     Observation{Changed: make(chan struct{})},
	}
	if o.Waits != nil {
		c.waits = newLooker(o.Waits)
		c.detector.Looks(true)
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

// Run serves the console until ctx ends. A look that hangs may outlive it, which it logs.
func (c *Console) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { c.replies.run(ctx) })
	c.observe(ctx)
	if c.waits != nil && !c.waits.close() {
		c.Log.Warn("a look at what the agent waits for still hangs, and was left", "waited", lookClose)
	}
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

// Dropped notes that people's keys came too late for a question.
func (c *Console) Dropped(keys int) {
	c.Log.Info("keys for a question that a caller has answered were dropped", "keys", keys)
	select {
	case c.late <- struct{}{}:
	default:
	}
}
