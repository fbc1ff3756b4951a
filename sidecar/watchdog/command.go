package watchdog

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc"
)

const (
	// commandGrace is the time between TERM and KILL.
	commandGrace = time.Second
	// complaintLimit is how much of the end of stderr is logged, in bytes.
	complaintLimit = 300
)

// commandAsker starts a program for each question: the question on its stdin, the answer
// on its stdout, exit status 0. It runs in the root directory as the sidecar's own user,
// and nothing that it started is left when its answer is taken.
type commandAsker struct {
	path  string
	host  *proc.Host
	agent *proc.User
}

// newCommandAsker finds out whether the program can be run.
func newCommandAsker(o *Options) (*commandAsker, error) {
	path := filepath.Clean(o.Target)
	if o.Host == nil {
		return nil, fmt.Errorf("the watchdog %s: programs cannot be started here", path)
	}
	if _, err := proc.LookPath(path, "", nil); err != nil {
		return nil, fmt.Errorf("the watchdog cannot be run: %w", err)
	}
	return &commandAsker{path: path, host: o.Host, agent: o.Agent}, nil
}

func (c *commandAsker) changeable() (string, error) { return c.agent.CanChange(c.path) }

func (c *commandAsker) close() {}

// commandEnvironment is all that the program gets. The PATH is not ours: the agent may be
// able to write to directories of that one.
func commandEnvironment() []string {
	return []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"}
}

func (c *commandAsker) ask(ctx context.Context, question []byte) ([]byte, error) {
	child, err := c.host.Start(proc.Command{Argv: []string{c.path}, Env: commandEnvironment(), Dir: "/", Grace: commandGrace})
	if err != nil {
		return nil, &failure{kind: FailedUnavailable, text: "cannot be started", more: err.Error()}
	}
	var said, complaint []byte
	stopped := stopWith(ctx, child)
	fed := feed(child.Stdin(), question)
	exit := child.Output(func(chunk []byte) {
		if said = append(said, chunk[:min(len(chunk), answerLimit+1-len(said))]...); len(said) > answerLimit {
			_ = child.SignalGroup(os.Kill)
		}
	}, func(chunk []byte) {
		complaint = append(complaint, chunk...)
		complaint = complaint[max(0, len(complaint)-complaintLimit):]
	})
	<-fed
	stopped()
	child.Kill() // what it left behind
	return said, verdictOn(exit, said, complaint)
}

// verdictOn returns why a program's output is no answer, nil if it may be one.
func verdictOn(exit proc.Exit, said, complaint []byte) error {
	more := text.Line(text.Tail(string(complaint), complaintLimit), 0)
	switch {
	case len(said) > answerLimit:
		return &failure{kind: FailedLength, text: fmt.Sprintf("said more than %s", text.FormatSize(answerLimit)), more: more}
	case exit.Signal != 0:
		return &failure{kind: FailedCrash, text: "crashed: it was " + exit.String(), more: more}
	case !exit.Success():
		return &failure{kind: FailedExit, text: "ended with " + exit.String(), more: more}
	case bytes.ContainsAny(bytes.TrimSpace(said), "\r\n"):
		return &failure{kind: FailedAnswer, text: "answered with more than one line"}
	}
	return nil
}

// stopWith stops the child when ctx ends. The function that it returns ends that, and
// waits for a stop that has begun.
func stopWith(ctx context.Context, child *proc.Child) func() {
	stopped := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(stopped)
		child.Stop()
	})
	return func() {
		if !cancel() {
			<-stopped
		}
	}
}

// feed writes the question and closes stdin; the channel that it returns is closed after
// that. The program need not read it.
func feed(stdin io.WriteCloser, question []byte) <-chan struct{} {
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		_, _ = stdin.Write(question) // EPIPE: the program does not want it
		_ = stdin.Close()            // Output closes it too
	}()
	return fed
}
