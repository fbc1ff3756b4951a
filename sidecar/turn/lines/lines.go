package lines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Options configure New. All fields except Closed and ToolPrompt must be set.
type Options struct {
	// Input is the program's standard input. Closing it ends a Write that waits.
	Input io.WriteCloser
	// Closed is closed when the program's output has ended; nil: nobody tells.
	Closed <-chan struct{}
	// Signal asks the program to stop what it does.
	Signal func() error
	// Quiet is the silence that ends an answer in words.
	Quiet time.Duration
	// Settle is the silence after an interrupt that means that the program has
	// stopped its work.
	Settle time.Duration
	// ToolPrompt puts calls in words; "" means a line of JSON.
	ToolPrompt string
}

// Driver speaks to one program in lines.
type Driver struct {
	o       Options
	framing framing // belongs to Output

	writing sync.WaitGroup
	written chan struct{} // closed when the last text was written; belongs to the turn's goroutine

	mu       sync.Mutex
	listener *exchange     // the exchange that reads; nil: none does
	owes     *owed         // what the program still has to answer; nil: nothing
	last     time.Time     // of the last output
	changed  chan struct{} // closed at the next output
	closed   bool
	// dropped holds the last calls that were given up, the oldest first: their
	// results belong to no answer.
	dropped []string
}

// maxDropped is how many calls that were given up are remembered.
const maxDropped = 32

// owed is the answer that the program still owes after a turn was stopped.
type owed struct {
	call string // the call whose result is awaited, "" for an answer in words
}

var _ driver.Live = (*Driver)(nil)

// New returns a driver for a program that was just started.
func New(o Options) *Driver {
	written := make(chan struct{})
	close(written)
	return &Driver{o: o, written: written, last: time.Now(), changed: make(chan struct{})}
}

// Output implements driver.Live.
func (d *Driver) Output(chunk []byte) {
	whole, tooLong := d.framing.next(chunk)
	d.pass(whole, tooLong)
}

// drop gives up a call: its result, if it comes, belongs to no answer.
func (d *Driver) drop(call string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropped = append(d.dropped[max(0, len(d.dropped)-maxDropped+1):], call)
}

// expect accepts a call's results again: its caller may have given it the id of a
// call that was given up.
func (d *Driver) expect(call string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropped = slices.DeleteFunc(d.dropped, func(id string) bool { return id == call })
}

// current returns the lines without the results of calls that were given up. The
// lock is held.
func (d *Driver) current(whole []byte) []byte {
	if len(d.dropped) == 0 || !bytes.Contains(whole, []byte("toolResult")) {
		return whole
	}
	var kept []byte
	for line := range bytes.Lines(whole) {
		if !slices.ContainsFunc(d.dropped, func(call string) bool { _, is := driver.ReadResult(line, call); return is }) {
			kept = append(kept, line...)
		}
	}
	return kept
}

// pass hands whole lines to the turn that reads, or drops them if no turn reads.
func (d *Driver) pass(whole []byte, tooLong bool) {
	d.mu.Lock()
	d.last = time.Now()
	close(d.changed)
	d.changed = make(chan struct{})
	if d.listener == nil && d.owes != nil && d.owes.call != "" {
		if _, answered := driver.FindResult(whole, d.owes.call); answered {
			d.owes = nil
		}
	}
	e := d.listener
	whole = d.current(whole)
	d.mu.Unlock()
	if e == nil {
		return
	}
	if len(whole) > 0 {
		e.hand(batch{lines: whole})
	}
	if tooLong {
		e.hand(batch{err: errLongLine})
	}
}

// Close implements driver.Driver: it passes on what the program wrote last, and
// closes the program's input.
func (d *Driver) Close() {
	if rest := d.framing.rest(); len(rest) > 0 {
		d.pass(rest, false)
	}
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	_ = d.o.Input.Close() // it is usually closed by now
	d.writing.Wait()
}

// Ready implements driver.Live: it waits until the program has read what was
// written before.
func (d *Driver) Ready(ctx context.Context, or <-chan struct{}, limit time.Duration, _ func(string)) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-d.written:
		return nil
	case <-or:
		return nil
	case <-timer.C:
		return fmt.Errorf("the agent has not read the message before this one within %s", limit)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Interrupt implements driver.Driver: it signals the program, then waits for the
// owed result or for silence.
func (d *Driver) Interrupt(ctx context.Context) error {
	d.mu.Lock()
	owes := d.owes
	d.last = time.Now() // silence begins with the signal
	d.mu.Unlock()
	if owes == nil {
		return nil
	}
	if err := d.o.Signal(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return d.Idle(ctx)
}

// Idle implements driver.Driver.
func (d *Driver) Idle(ctx context.Context) error {
	timer := time.NewTimer(d.o.Settle)
	defer timer.Stop()
	for {
		d.mu.Lock()
		left := d.o.Settle - time.Since(d.last)
		if left <= 0 {
			d.owes = nil
		}
		owes, changed := d.owes, d.changed
		d.mu.Unlock()
		if owes == nil {
			return nil
		}
		timer.Reset(left)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// listen makes e read from now on. owes is what the program has to answer if e does
// not wait for it.
func (d *Driver) listen(e *exchange, owes *owed) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.listener, d.owes = e, owes
}

// ignore ends what listen began. answered means that nothing is owed.
func (d *Driver) ignore(e *exchange, answered bool) {
	close(e.left)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.listener = nil
	if answered {
		d.owes = nil
	}
}

// write writes a text to the program's input, and sends the error, or nil, when it
// is written.
func (d *Driver) write(text string) <-chan error {
	d.mu.Lock()
	defer d.mu.Unlock()
	done, result := make(chan struct{}), make(chan error, 1)
	if d.closed {
		result <- os.ErrClosed
		return result
	}
	d.written = done
	d.writing.Go(func() {
		defer close(done)
		_, err := io.WriteString(d.o.Input, text)
		result <- err
	})
	return result
}
