package lines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

const (
	// endTime is how long it may take to learn of the end of a program after it has
	// stopped reading, or closed its output.
	endTime = time.Second
	// lateTime is how long output that was written before a done may take to
	// arrive, and lateQuiet is the silence that ends this wait.
	lateTime, lateQuiet = 250 * time.Millisecond, 30 * time.Millisecond
)

// errClosed fails a turn that nothing can answer any more.
var errClosed = errors.New("the agent has closed its output and lives on: nothing can answer")

// exchange is one message or call and its answer. It belongs to the turn's
// goroutine, except hand.
type exchange struct {
	d     *Driver
	t     driver.Turn
	lines chan batch
	left  chan struct{} // closed when nobody takes lines any more

	// words says that silence ends the answer.
	words bool
	// take takes whole lines, and reports whether the answer is complete.
	take func(lines []byte) bool
}

// batch is some whole lines, or why there are none.
type batch struct {
	lines []byte
	err   error
}

// hand gives lines to the turn. When hand returns, the turn has taken them or has
// ended.
func (e *exchange) hand(b batch) {
	b.lines = bytes.Clone(b.lines)
	select {
	case e.lines <- b:
	case <-e.left:
	}
}

// begin returns the exchange of a turn.
func (d *Driver) begin(t driver.Turn, words bool, take func([]byte) bool) *exchange {
	return &exchange{d: d, t: t, words: words, take: take, lines: make(chan batch), left: make(chan struct{})}
}

// Deliver implements driver.Driver.
func (d *Driver) Deliver(ctx context.Context, t driver.Turn) driver.Outcome {
	out := answer{to: t.Out()}
	e := d.begin(t, true, out.add)
	if err := e.run(ctx, t.Text(), &owed{}); err != nil && ctx.Err() == nil {
		return driver.Failed(err)
	}
	return driver.Completed() // the turn sees how the context ended
}

// Call implements driver.Driver.
func (d *Driver) Call(ctx context.Context, t driver.Turn) (driver.CallResult, error) {
	c := t.Call()
	text, err := driver.CallText(c, d.o.ToolPrompt)
	if err != nil {
		return driver.CallResult{}, fmt.Errorf("the tool prompt: %w", err)
	}
	kept := &driver.Capture{Pass: c.Output}
	said := answer{to: kept}
	var res driver.CallResult
	answered := false
	e := d.begin(t, c.Prompt != "" || d.o.ToolPrompt != "", func(lines []byte) bool {
		for line := range bytes.Lines(lines) {
			if res, answered = driver.ReadResult(line, c.ID); answered {
				return true
			}
			said.add(line)
		}
		return false
	})
	d.expect(c.ID)
	err = e.run(ctx, text, &owed{call: c.ID})
	if answered {
		return res, nil
	}
	d.drop(c.ID)
	return kept.Result(), err
}

// run writes the text and reads until the answer is complete.
func (e *exchange) run(ctx context.Context, text string, owes *owed) (err error) {
	e.d.listen(e, owes)
	defer func() { e.d.ignore(e, err == nil || ctx.Err() == nil) }()
	wrote := e.d.write(strings.TrimSuffix(text, "\n") + "\n")
	limit := time.NewTimer(time.Hour)
	defer limit.Stop()
	limit.Stop()
	broken := error(nil) // why nothing more comes of the program; nil: something may
	closed := e.d.o.Closed
	for {
		select {
		case b := <-e.lines:
			if b.err != nil || e.take(b.lines) {
				return b.err
			}
			if e.words && broken == nil {
				limit.Reset(e.d.o.Quiet)
			}
		case err := <-wrote:
			if wrote = nil; err != nil {
				broken = fmt.Errorf("the agent takes no more input: %w", err)
				limit.Reset(endTime)
			}
		case <-closed:
			if closed = nil; broken == nil {
				broken = errClosed
				limit.Reset(endTime)
			}
		case <-limit.C:
			switch {
			case broken != nil:
				return broken
			case e.silenceMeans():
				e.t.Note("inferred", true)
				return nil
			}
			limit.Reset(e.d.o.Quiet)
		case <-e.t.Over().Done():
			e.late(ctx)
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// silenceMeans reports whether silence ends the answer. It does not while the agent
// itself says what it is doing, or while a question is open.
func (e *exchange) silenceMeans() bool { return !e.t.Speaks() && !e.t.Task().Asking() }

// late reads the output that was written before the done and has not arrived yet.
func (e *exchange) late(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lateTime)
	defer cancel()
	quiet := time.NewTimer(lateQuiet)
	defer quiet.Stop()
	for {
		select {
		case b := <-e.lines:
			if b.err != nil || e.take(b.lines) {
				return
			}
			quiet.Reset(lateQuiet)
		case <-quiet.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// answer passes lines on as the text of an answer, without the empty lines before
// and after it: newlines are passed on only if more text follows.
type answer struct {
	to     driver.Out
	spoken bool
	blank  int // newlines that were not passed on yet
}

// add passes whole lines on. It always returns false: no line is the last one.
func (a *answer) add(lines []byte) bool {
	if !a.spoken {
		lines = bytes.TrimLeft(lines, "\n")
	}
	text := bytes.TrimRight(lines, "\n")
	if len(text) > 0 {
		// In pieces: a program can hold back more newlines than fit into memory.
		for ; a.blank > 0; a.blank -= min(a.blank, blankPiece) {
			a.to.Write(bytes.Repeat([]byte{'\n'}, min(a.blank, blankPiece)))
		}
		a.to.Write(text)
		a.spoken = true
	}
	a.blank += len(lines) - len(text)
	return false
}

// blankPiece is how many newlines are written at a time.
const blankPiece = 4 << 10
