package watchdog

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
)

// concurrency is how many questions a watchdog is asked at once.
const concurrency = 16

// Options is what a Watchdog is made of.
type Options struct {
	// Target is an absolute path of a program, "unix:" and the absolute path of a socket,
	// or an https address.
	Target string
	// Timeout is how long an answer may take, waiting for a place included; more than 0.
	Timeout time.Duration
	// Host starts the program. It is needed for a program only.
	Host *proc.Host
	// Agent is the user as whom the agent and its tools run. nil: ours.
	Agent *proc.User
	// Strict refuses a watchdog that the agent's user can change. Otherwise that is a
	// warning.
	Strict bool
	// Name is the agent's name, which the watchdog is told.
	Name string
	// Roots are the certificate authorities for an https address. nil: the system's.
	Roots *x509.CertPool
	// Failed is told of every answer that did not come, except of a call that was stopped. It must not block. nil: nobody is.
	Failed func(Failure)
	// Clean takes out of what a watchdog wrote that failed what must not be logged. nil: nothing.
	Clean func(string) string
	// Log gets a warning for every answer that did not come. nil: none.
	Log *slog.Logger
}

// asker is one kind of watchdog. ask returns the answer as it came. It gives up soon
// after ctx has ended; its error is a *failure.
type asker interface {
	ask(ctx context.Context, question []byte) ([]byte, error)
	// changeable returns the file or directory by which the agent's user can change or
	// replace the watchdog, "" if there is none.
	changeable() (string, error)
	close()
}

// failure is why there is no answer.
type failure struct {
	kind Failure
	text string // to follow "the watchdog"
	more string // for the log only
}

func (f *failure) Error() string { return f.text }

// Watchdog asks one watchdog. Ask may be called from many goroutines.
type Watchdog struct {
	o       Options
	kind    asker
	trusted bool // the agent's user could not change it at the start

	slots chan struct{}
	ended context.Context
	end   context.CancelFunc
	work  sync.WaitGroup
	mu    sync.Mutex // guards closing against work that begins
}

// Open returns the watchdog that Target names; Close releases it. It is an error if the
// program is not there, and, if Strict is set, if the agent's user can change it. Whether
// a socket or an https address answers is found out by the first call.
func Open(o Options) (*Watchdog, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Agent == nil {
		o.Agent = proc.Self()
	}
	kind, err := o.open()
	if err != nil {
		return nil, err
	}
	by, err := kind.changeable()
	switch {
	case err != nil:
		return nil, fmt.Errorf("the watchdog %s: %w", o.Target, err)
	case by != "" && o.Strict:
		return nil, fmt.Errorf("the watchdog %s can be changed by the agent's user (uid %d) through %s: make it another user's, or run the agent as another one (--user)", o.Target, o.Agent.UID, by)
	case by != "":
		o.Log.Warn("the agent's user can change the watchdog, so that it stops accidents and not malice; run the agent as another user (--user)", "path", by)
	}
	w := &Watchdog{o: o, kind: kind, trusted: by == "", slots: make(chan struct{}, concurrency)}
	w.ended, w.end = context.WithCancel(context.Background())
	return w, nil
}

func (o *Options) open() (asker, error) {
	socket, isSocket := strings.CutPrefix(o.Target, "unix:")
	switch {
	case isSocket && filepath.IsAbs(socket):
		return &socketAsker{path: filepath.Clean(socket), agent: o.Agent}, nil
	case strings.HasPrefix(o.Target, "https://"):
		return newHTTPSAsker(o.Target, o.Roots)
	case filepath.IsAbs(o.Target):
		return newCommandAsker(o)
	}
	return nil, fmt.Errorf("%q is no watchdog; write the absolute path of a program, unix:/path of a socket, or an https address", o.Target)
}

// Close ends every question and waits until nothing of them runs.
func (w *Watchdog) Close() {
	w.mu.Lock()
	w.end()
	w.mu.Unlock()
	w.work.Wait()
	w.kind.close()
}

// Ask asks about one call. It returns when the answer is there, the time limit has
// passed, or ctx has ended.
func (w *Watchdog) Ask(ctx context.Context, r Request) Answer {
	began := time.Now()
	a, err := w.answer(ctx, r)
	if err != nil {
		a = w.failed(err, &r)
	}
	a.Took = time.Since(began)
	return a
}

// reply is what a question came to.
type reply struct {
	said []byte
	err  error
}

func (w *Watchdog) answer(ctx context.Context, r Request) (Answer, error) {
	line, err := r.encode(w.o.Name)
	if err != nil {
		return Answer{}, &failure{kind: FailedUnavailable, text: "could not be asked: " + err.Error()}
	}
	if by, err := w.unsafe(); err != nil || by != "" {
		return Answer{}, &failure{kind: FailedUnsafe, text: "can be changed by the agent's user", more: errorText(by, err)}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, w.o.Timeout, errTimeout)
	defer cancel()
	defer context.AfterFunc(w.ended, cancel)()
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return Answer{}, w.expired(ctx, "had no place for another question")
	}
	replies := make(chan reply, 1)
	if !w.begin(func() {
		defer func() { <-w.slots }()
		said, err := w.kind.ask(ctx, line)
		replies <- reply{said, err}
	}) {
		<-w.slots
		return Answer{}, w.expired(ctx, "")
	}
	select {
	case got := <-replies:
		return w.judge(ctx, got)
	case <-ctx.Done():
		return Answer{}, w.expired(ctx, "did not answer")
	}
}

// unsafe returns by what the agent's user can change a watchdog that was safe at the
// start.
func (w *Watchdog) unsafe() (string, error) {
	if !w.trusted {
		return "", nil
	}
	return w.kind.changeable()
}

// begin runs f on a goroutine for which Close waits. It reports false after Close has
// begun.
func (w *Watchdog) begin(f func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended.Err() != nil {
		return false
	}
	w.work.Go(f)
	return true
}

// judge reads what was said. An end of ctx explains any other failure.
func (w *Watchdog) judge(ctx context.Context, got reply) (Answer, error) {
	if limit, _ := ctx.Deadline(); got.err != nil && !time.Now().Before(limit) {
		<-ctx.Done() // a connection may notice the limit a moment before ctx does
	}
	if got.err != nil && ctx.Err() != nil {
		return Answer{}, w.expired(ctx, "did not answer")
	}
	if got.err != nil {
		return Answer{}, got.err
	}
	said := bytes.TrimSpace(got.said)
	if len(said) == 0 {
		return Answer{}, &failure{kind: FailedAnswer, text: "said nothing"}
	}
	a, err := parse(said)
	if err != nil {
		return Answer{}, &failure{kind: FailedAnswer, text: "gave no answer that can be read: " + err.Error()}
	}
	return a, nil
}

var errTimeout = errors.New("the watchdog's time limit has passed")

// expired is the failure of a question that ctx has ended.
func (w *Watchdog) expired(ctx context.Context, what string) *failure {
	if errors.Is(context.Cause(ctx), errTimeout) {
		return &failure{kind: FailedTimeout, text: fmt.Sprintf("%s within %s", what, w.o.Timeout)}
	}
	return &failure{kind: FailedStopped, text: "was not heard: the call was stopped"}
}

// failed returns the answer of a watchdog that gave none.
func (w *Watchdog) failed(err error, r *Request) Answer {
	f := (*failure)(nil)
	if !errors.As(err, &f) {
		f = &failure{kind: FailedUnavailable, text: "cannot be asked: " + err.Error()}
	}
	a := Answer{Reason: "the watchdog " + f.text, Failure: f.kind}
	if f.kind == FailedStopped {
		return a
	}
	w.o.Log.Warn("the watchdog gave no answer, so the call is denied", "failure", string(f.kind), "reason", w.clean(f.text), "detail", w.clean(f.more),
		"tool", r.Call.Tool.Name, "call", r.CallID, "task", r.TaskID)
	if w.o.Failed != nil {
		w.o.Failed(f.kind)
	}
	return a
}

func (w *Watchdog) clean(s string) string {
	if w.o.Clean == nil {
		return s
	}
	return w.o.Clean(s)
}

func errorText(by string, err error) string {
	if err != nil {
		return err.Error()
	}
	return by
}
