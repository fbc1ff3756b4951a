package line

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// exchange is one message or call in a terminal: what was typed, and what has come
// back so far. It belongs to the turn's goroutine.
type exchange struct {
	d    *Driver
	t    driver.Turn
	out  driver.Out
	ends func(row string) bool // reports whether a row is the whole answer; nil: no row is
	echo echo

	inferred  bool               // only silence showed the end
	echoed    bool               // the terminal showed what was typed
	hidden    bool               // the question is on no visible row, so the echo of the reply is removed by its text
	state     console.AgentState // the agent's state at the end, and its source
	bare      string             // the prompt that stood alone on the current row; text that follows it there is the answer
	answered  bool               // ends has returned true
	spoken    bool               // some text was written to out
	blank     int                // newlines that are written only if more text follows
	words     []byte             // text that is not yet written to out
	said      said               // the answer so far
	shows     bool               // the reply to the question is shown where it is typed
	drawn     drawing            // the screen at the last Enter
	questions []string           // the rows of questions that were answered there
}

// run types the lines and reads until the answer has ended. It returns nil for the
// prompt, silence, a done, or a row that is the answer, and otherwise an error.
func (e *exchange) run(ctx context.Context, lines []string) error {
	defer e.rest()
	for i, line := range lines {
		// If the program has a prompt, it must show it between the lines; if not,
		// the lines are simply typed.
		if i > 0 && e.d.prompts.any() {
			if err := e.waitFor(ctx, true); err != nil {
				return err
			}
			e.settleDrawn()
		}
		if e.over() {
			break
		}
		if err := e.enter(ctx, line); err != nil {
			return err
		}
	}
	if err := e.wait(ctx); err != nil {
		return err
	}
	e.settleDrawn()
	return e.complete(ctx)
}

// over reports whether no more lines have to be typed.
func (e *exchange) over() bool {
	select {
	case <-e.t.Over().Done():
		return true
	default:
		return e.answered
	}
}

// enter types one line and Enter while no person is in the middle of a line.
func (e *exchange) enter(ctx context.Context, line string) error {
	if console.Occupied(e.d.people) { // what the program prints until people let us type is not for us
		e.read(e.d.buffer.look().Finished)
		e.d.buffer.ignore()
	}
	return e.d.alone(ctx, e.t, func() error {
		if err := e.d.clearLine(ctx); err != nil {
			return err
		}
		e.d.buffer.listen()
		mode, err := e.d.term.Mode()
		if err != nil {
			return err
		}
		if mode.Canonical {
			if err := console.CheckLength([]string{line}); err != nil {
				return err
			}
		} else {
			// A line editor would complete words.
			line = strings.ReplaceAll(line, "\t", "    ")
		}
		e.echoed = mode.Echo || !mode.Canonical
		v := e.d.buffer.look()
		e.read(v.Finished)
		e.d.console.Submitted("")
		e.echo.expect(typed{prompt: v.Current, line: line, shown: mode.Echo || !mode.Canonical})
		if mode.Canonical || line == "" {
			e.drawn = e.drawingNow(line)
			e.d.console.Entering()
			return e.write(ctx, line+"\r")
		}
		if err := e.write(ctx, line); err != nil {
			return err
		}
		e.awaitEcho(ctx, v.Changed)
		e.drawn = e.drawingNow("")
		e.d.console.Entering()
		return e.write(ctx, "\r")
	})
}

// write types s unless a done comes first. It reads meanwhile: an agent whose
// output nobody reads would not read the rest.
func (e *exchange) write(ctx context.Context, s string) error {
	e.d.typed = true
	asked := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.t.Over(), cancel)()
	wrote := make(chan error, 1)
	go func() { // waited for below
		_, err := e.d.console.Type(ctx, s)
		wrote <- err
	}()
	for {
		v := e.d.buffer.look()
		e.read(v.Finished)
		select {
		case <-v.Changed:
		case err := <-wrote:
			switch {
			case err == nil || e.over():
				return nil
			case asked.Err() != nil:
				return context.Cause(asked)
			}
			return fmt.Errorf("the terminal takes no more input: %w", err)
		}
	}
}

// awaitEcho waits until a line editor has shown what was typed: some editors take
// an Enter that comes together with the text for pasted text.
func (e *exchange) awaitEcho(ctx context.Context, changed <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, echoTime)
	defer cancel()
	select {
	case <-changed:
	case <-ctx.Done():
		return
	}
	// If the text is not shown in time, Enter is typed all the same.
	_ = e.d.until(ctx, nil, func(v term.Text) (time.Duration, bool) {
		e.read(v.Finished)
		return settleKnown, true
	})
}

// wait reads until the answer to what was typed has ended. If the program asks
// something meanwhile, the caller answers it.
func (e *exchange) wait(ctx context.Context) error { return e.waitFor(ctx, false) }

// waitFor is wait. If more of the message is left, a program that reads a line and has asked nothing,
// such as an editor that takes text, is about to get the next one.
func (e *exchange) waitFor(ctx context.Context, more bool) error {
	for typedAt := time.Now(); ; typedAt = time.Now() {
		asks, err := e.waitOnce(ctx, typedAt)
		if !asks || err != nil || more && e.takesText() {
			return err
		}
		e.dropQuestion()
		e.asks()
		reply, err := e.d.asker.Ask(ctx, e.t, e.out)
		e.replied(reply)
		if err != nil || ctx.Err() != nil {
			if err != nil {
				e.read(e.d.buffer.look().Finished)
				e.d.closeScreen(ctx)
			}
			return errors.Join(err, context.Cause(ctx))
		}
	}
}

// takesText reports whether the program itself, and not one that it has started, reads a line and has
// asked nothing.
func (e *exchange) takesText() bool {
	mode, err := e.d.term.Mode()
	own := err == nil && (e.d.console.PID == 0 || mode.Foreground == e.d.console.PID)
	return own && strings.TrimSpace(e.d.buffer.look().Current) == "" && !e.d.console.Look().Screen.Alternate && !e.d.offers()
}

// asks notes that the program asks something on its current row. Neither that row nor the reply that
// is typed there is a part of the answer.
func (e *exchange) asks() {
	v := e.d.buffer.look()
	e.read(v.Finished)
	if v.Current != "" {
		e.echo.expect(typed{prompt: v.Current, reply: true})
		e.questions = append(e.questions, v.Current)
	}
	mode, err := e.d.term.Mode()
	e.hidden = v.Current == "" && err == nil && mode.Echo
	e.shows = err == nil && (mode.Echo || !mode.Canonical)
}

// replied notes the reply to a question. If the question is on no visible row, a row that shows only
// the reply is not a part of the answer.
func (e *exchange) replied(text string) {
	switch n := len(e.echo.pending); {
	case text == "":
	case e.hidden:
		e.echo.expect(typed{line: text, reply: true})
	case n > 0 && e.echo.pending[n-1].reply && e.shows:
		e.echo.pending[n-1].line = text
	}
}

// signal returns what the program itself says. A line that is read without echo is
// a secret only if the lines before it had an echo.
func (e *exchange) signal(v term.Text) signal {
	switch s := e.d.signal(v); {
	case s != signalSecret:
		return s
	case e.echoed:
		return signalAsking
	}
	return signalNone
}

// waitOnce is wait up to the program's next question.
func (e *exchange) waitOnce(ctx context.Context, typedAt time.Time) (asks bool, err error) {
	said, prompt := signalNone, false
	e.d.rhythm.begin(typedAt)
	err = e.d.until(ctx, e.t.Over().Done(), func(v term.Text) (time.Duration, bool) {
		if e.read(v.Finished); e.answered {
			return 0, true
		}
		prompt = false
		said = e.signal(v)
		begin, settle, stands := e.d.prompts.at(v.Current)
		if !stands && !e.echo.onPrompt() && e.d.asked(v) == signalReady {
			e.d.prompts.seen(v.Current)
			stands = v.Current != ""
		}
		if stands && begin == 0 && settle == settleKnown && !e.echo.onPrompt() {
			e.bare = v.Current
		}
		switch {
		case said == signalAsking:
			return 0, true
		case said == signalReady:
			prompt = stands
			return settleSignal(stands), true
		case said == signalWorking, said == signalPending:
			return 0, false
		case stands && !e.echo.onPrompt() && !e.d.offers():
			prompt = true
			return settle, true
		}
		// If nothing was printed since the line was typed, silence begins at that
		// time.
		e.d.rhythm.printed(v.Output)
		still := e.d.rhythm.quiet(v.Current)
		if v.Output.Before(typedAt) {
			still += typedAt.Sub(v.Output)
		}
		return still, e.silenceMeans(v)
	})
	e.state = console.StateOf(e.d.console.Look().Verdict)
	switch {
	case err != nil:
	case e.answered:
		e.state = console.AgentState{State: string(profile.Ready), Source: state.SourceResult, Confidence: 1, Rule: "a toolResult line"}
		e.d.console.Ended(e.state)
	case e.over():
		e.state = console.AgentState{State: string(profile.Ready), Source: state.SourceChannel, Confidence: 1}
		e.late(ctx)
	case said == signalAsking:
		return true, nil
	case prompt:
		if said != signalReady {
			e.state = console.AgentState{State: string(profile.Ready), Source: profile.SourcePrompt, Confidence: promptSure, Rule: "the prompt is there"}
			e.d.console.Ended(e.state)
		}
		e.atPrompt()
	case said != signalReady:
		e.state = console.AgentState{State: string(profile.Ready), Source: state.SourceQuiet, Confidence: quietSure, Rule: "silence"}
		e.inferred = true
		e.d.console.Ended(e.state)
	}
	return false, err
}

// promptSure and quietSure are the confidence that an answer has ended.
const promptSure, quietSure = 0.6, 0.3

// silenceMeans reports whether silence ends the answer. It does not while the agent
// itself says what it is doing, or while a question is open.
func (e *exchange) silenceMeans(v term.Text) bool {
	return !e.t.Speaks() && !e.t.Task().Asking() && e.signal(v) == signalNone && e.d.waits(v) && !e.d.offers()
}

// late reads the output that was written before the done and has not arrived yet.
func (e *exchange) late(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lateOutput)
	defer cancel()
	// The last output may be old, and the next may still be unread.
	said := time.Now()
	_ = e.d.until(ctx, nil, func(v term.Text) (time.Duration, bool) { // later output is not the answer
		e.read(v.Finished)
		return settleKnown + max(said.Sub(v.Output), 0), true
	})
}

// atPrompt writes out what stands before the prompt on its row, or remembers the
// prompt if it has the row to itself.
func (e *exchange) atPrompt() {
	v := e.d.buffer.look()
	e.read(v.Finished)
	begin, _, ok := e.d.prompts.at(v.Current)
	if ok && begin > 0 {
		e.line(v.Current[:begin], false)
		e.flush()
	} else if ok {
		e.d.prompts.seen(v.Current)
	}
}

// rest writes out the current row if the answer did not end with a prompt.
func (e *exchange) rest() {
	v := e.d.buffer.look()
	e.read(v.Finished)
	if _, _, ok := e.d.prompts.at(v.Current); ok || e.answered || v.Current == "" {
		return
	}
	if text, ok := e.echo.strip(v.Current); ok {
		e.line(text, false)
		e.flush()
	}
}

// read adds finished rows to the answer, which are written out at once.
func (e *exchange) read(lines []term.Printed) {
	defer e.flush()
	for _, r := range lines {
		row, bare := r.Text, e.bare
		if e.bare = ""; bare != "" && len(e.echo.pending) == 0 {
			row = strings.TrimPrefix(row, bare)
		}
		text, ok := e.echo.strip(row)
		if !ok || e.answered {
			continue
		}
		if e.ends != nil && r.Whole && e.ends(text) {
			e.answered = true
			continue
		}
		e.line(text, r.Whole)
	}
}

// flush writes out what line has collected.
func (e *exchange) flush() {
	if len(e.words) > 0 {
		e.out.Write(e.words)
		e.said.add(e.words)
		e.words = e.words[:0]
	}
}

// line adds a row to the text that flush writes, with the newlines before it.
// Newlines at the end of an answer are never written.
func (e *exchange) line(text string, whole bool) {
	if text != "" {
		for ; e.spoken && e.blank > 0; e.blank-- {
			e.words = append(e.words, '\n')
		}
		e.words = append(e.words, text...)
		e.spoken, e.blank = true, 0
	}
	if whole {
		e.blank++
	}
}
