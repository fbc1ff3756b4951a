package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/a2a-sidecar/sidecar/a2a/client"
)

const (
	// activityBeat is the interval at which a waiting person is shown what the agent
	// does.
	activityBeat = time.Second
	// activityCols is the width if the terminal does not tell its own.
	activityCols = 80
)

// activity is a line on a person's terminal that says what the agent does while no
// output comes. The line is drawn again every second, and removed before anything
// else is printed. A nil activity shows nothing.
type activity struct {
	client *client.Client
	out    *os.File
	stop   context.CancelFunc
	done   chan struct{}

	mu    sync.Mutex
	task  string
	began time.Time // when the silence began
	open  bool      // a line of the answer is incomplete: nothing may be drawn
	drawn bool
}

// watchAgent shows what the agent does until close is called. It returns nil if
// nobody looks.
func (x *exchange) watchAgent(ctx context.Context) *activity {
	if x.answer.asJSON || !isTerminal(x.std.Err) {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	a := &activity{client: x.client, out: x.std.Err, stop: stop, done: make(chan struct{}), task: x.answer.task, began: time.Now(), open: x.answer.open}
	go func() { // close waits for it
		defer close(a.done)
		a.run(ctx)
	}()
	return a
}

func (a *activity) run(ctx context.Context) {
	beat := time.NewTicker(activityBeat)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
			a.draw(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// draw asks what the agent does and shows it. If the server does not tell, only the
// time is shown.
func (a *activity) draw(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*activityBeat)
	defer cancel()
	var s statusDoc
	if doc, err := a.client.Document(ctx, "/status"); err == nil {
		_ = json.Unmarshal(doc.Body, &s) // if it is not readable, nothing is known
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open || ctx.Err() != nil || time.Since(a.began) < activityBeat/2 {
		return
	}
	a.drawn = true
	fmt.Fprintf(a.out, "\r\x1b[K%s", fitting(printable("… "+s.doing(a.task, time.Since(a.began))), columns(a.out)))
}

// print runs a function that prints, after removing the line.
func (a *activity) print(x *exchange, fn func() error) error {
	if a == nil {
		return fn()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.erase()
	err := fn()
	a.task, a.open, a.began = x.answer.task, x.answer.open, time.Now()
	return err
}

func (a *activity) erase() {
	if a.drawn {
		fmt.Fprint(a.out, "\r\x1b[K")
		a.drawn = false
	}
}

// close ends the activity and removes the line.
func (a *activity) close() {
	if a == nil {
		return
	}
	a.stop()
	<-a.done
	a.mu.Lock()
	defer a.mu.Unlock()
	a.erase()
}

// doing returns, in words, what a task waits for, or what its agent does.
func (s *statusDoc) doing(task string, silent time.Duration) string {
	quiet := silent.Round(time.Second).String()
	for i := range s.Turns {
		t := &s.Turns[i]
		switch {
		case t.Task != task:
		case t.State == "waiting":
			return fmt.Sprintf("waiting for %s, for %s", quiet, t.WaitsFor)
		default:
			return s.agentDoing(t.PID, quiet)
		}
	}
	return "waiting for " + quiet
}

// agentDoing returns what the agent in that process does.
func (s *statusDoc) agentDoing(pid int, quiet string) string {
	for i := range s.Sessions {
		if s.Sessions[i].PID != pid {
			continue
		}
		a := &s.Sessions[i].Agent
		text := a.State
		if a.Kind != "" {
			text += " (" + a.Kind + ")"
		}
		text += " for " + quiet
		if a.Message != "" {
			text += ": " + first(a.Message)
		}
		return text
	}
	return "working for " + quiet
}

// columns returns the width of a terminal.
func columns(f *os.File) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return activityCols
}

// fitting cuts a line so that the terminal does not wrap it.
func fitting(line string, cols int) string {
	runes := []rune(line)
	if len(runes) < cols {
		return line
	}
	return string(runes[:max(cols-2, 0)]) + "…"
}
