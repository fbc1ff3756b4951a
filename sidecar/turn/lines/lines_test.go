package lines

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// TestSilenceEndsAnAnswer: not before the first line, and counted from the last one.
func TestSilenceEndsAnAnswer(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		u := p.deliver("hello")
		time.Sleep(time.Hour)
		u.running(t)
		p.says("\nyou said\n\n")
		time.Sleep(quiet - 1)
		u.running(t)
		p.says("hello\n\nhalf a line")
		last := time.Now()
		u.answers(t, "you said\n\nhello")
		if took := time.Since(last); took != quiet || !u.inferred {
			t.Errorf("ended after %v, inferred: %t", took, u.inferred)
		}
	})
}

// TestSilenceMeansNothing while the agent itself says what it does, or waits for an
// answer.
func TestSilenceMeansNothing(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		u := p.turn()
		u.text, u.speaks = "hello", true
		go func() { u.outcome <- p.d.Deliver(u.ctx, u) }()
		p.reads("hello")
		p.says("at it\n")
		time.Sleep(time.Hour)
		u.running(t)
		u.done()
		u.answers(t, "at it")
		if u.inferred {
			t.Error("the end was only inferred")
		}

		u = p.deliver("again")
		ctx, cancel := context.WithCancel(t.Context())
		asked := make(chan struct{})
		go func() { _, _ = u.task.Ask(ctx, task.Question{Text: "really?"}); close(asked) }()
		synctest.Wait()
		p.says("asked\n")
		time.Sleep(time.Hour)
		u.running(t)
		cancel()
		<-asked
		u.answers(t, "asked")
	})
}

// TestDoneMayOvertakeOutput: what was written before a done is waited for, but not
// for long.
func TestDoneMayOvertakeOutput(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		u := p.deliver("hello")
		u.done()
		began := time.Now()
		time.Sleep(20 * time.Millisecond)
		p.says("late\n")
		u.answers(t, "late")
		if took := time.Since(began); took != 50*time.Millisecond {
			t.Errorf("ended after %v", took)
		}

		u = p.deliver("again")
		began = time.Now()
		u.done()
		const gap = 10 * time.Millisecond // it never stops
		for len(u.outcome) == 0 {
			p.says("more\n")
			time.Sleep(gap)
		}
		if took := time.Since(began); took < 250*time.Millisecond || took > 250*time.Millisecond+gap {
			t.Errorf("ended after %v", took)
		}
	})
}

// TestResultEndsACall, and no silence does. The lines before it are passed on.
func TestResultEndsACall(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		var heard strings.Builder
		u := p.calls("c1", func(chunk []byte) { heard.Write(chunk) })
		p.says("at it\n" + `{"toolResult":{"id":"c0","content":"of another"}}` + "\n")
		time.Sleep(time.Hour)
		u.running(t)
		began := time.Now()
		p.says(`{"toolResult":{"id":"c1","content":"yes"}}` + "\n")
		u.returns(t, "yes")
		if took := time.Since(began); took != 0 {
			t.Errorf("the result ended it after %v", took)
		}
		if heard.String() != "at it\n"+`{"toolResult":{"id":"c0","content":"of another"}}` {
			t.Errorf("heard %q", heard.String())
		}
	})
}

// TestOutputBetweenTurns is no answer, nor does it wait for a turn.
func TestOutputBetweenTurns(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		p.says("a banner\n")
		u := p.deliver("one")
		p.says("first\n")
		u.answers(t, "first")
		p.says("an afterthought\n")
		u = p.deliver("two")
		p.says("second\n")
		u.answers(t, "second")
	})
}

// TestOutputWhileInputIsWritten: a program that answers before it has read all of a
// message holds nobody up.
func TestOutputWhileInputIsWritten(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		text := strings.Repeat("y", 1<<20)
		u := p.turn()
		u.text = text
		go func() { u.outcome <- p.d.Deliver(u.ctx, u) }()
		synctest.Wait() // the driver is in the middle of its line
		p.says("first\n")
		p.reads(text)
		p.says("last\n")
		u.answers(t, "first\nlast")
	})
}

// TestInterrupt: the program is asked to stop, and has stopped when it has been silent
// for long enough after that, or has answered the call.
func TestInterrupt(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		if err := p.d.Interrupt(t.Context()); err != nil || p.signals.Load() != 0 {
			t.Errorf("%v, %d signals to a program that does nothing", err, p.signals.Load())
		}
		u := p.deliver("hello")
		p.says("at it\n")
		u.cancel(errStop)
		<-u.outcome
		began := time.Now()
		time.AfterFunc(settle-1, func() { p.says("still at it\n") })
		if err := p.d.Interrupt(t.Context()); err != nil || p.signals.Load() != 1 {
			t.Errorf("%v, %d signals", err, p.signals.Load())
		}
		if took := time.Since(began); took != 2*settle-1 {
			t.Errorf("idle after %v", took)
		}

		u = p.calls("c1", nil)
		u.cancel(errStop)
		if r := <-u.result; !errors.Is(r.err, errStop) {
			t.Errorf("%v", r.err)
		}
		began = time.Now()
		time.AfterFunc(settle/2, func() { p.says(`{"toolResult":{"id":"c1","content":"stopped"}}` + "\n") })
		if err := p.d.Interrupt(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != settle/2 {
			t.Errorf("idle after %v", took)
		}
	})
}

// TestInterruptOfATalker ends with its context.
func TestInterruptOfATalker(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		u := p.deliver("hello")
		u.cancel(errStop)
		<-u.outcome
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		talking := make(chan struct{})
		go func() {
			defer close(talking)
			for ; ctx.Err() == nil; time.Sleep(settle / 2) {
				p.says("still at it\n")
			}
		}()
		if err := p.d.Interrupt(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		<-talking
	})
}

// TestLateResult: the result of a call that was given up is not the answer to what
// came after it, unless that is a call with the same id.
func TestLateResult(t *testing.T) {
	const late = `{"toolResult":{"id":"c1","content":"too late"}}` + "\n"
	speaking(t, func(t *testing.T, p *program) {
		giveUp := func() {
			u := p.calls("c1", nil)
			u.cancel(errStop)
			<-u.result
			if err := p.d.Idle(t.Context()); err != nil {
				t.Error(err)
			}
		}
		giveUp()
		u := p.deliver("hello")
		p.says(late + "hello\n")
		u.answers(t, "hello")

		giveUp()
		u = p.calls("c1", nil)
		p.says(late)
		u.returns(t, "too late")
	})
}

// TestInputClosed: a program that lives on and reads no more has not got the message.
func TestInputClosed(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		p.input.Close()
		u := p.turn()
		u.text = "hello"
		began := time.Now()
		go func() { u.outcome <- p.d.Deliver(u.ctx, u) }()
		u.fails(t, "takes no more input")
		if took := time.Since(began); took != time.Second {
			t.Errorf("failed after %v", took)
		}
	})
}

// TestLongLine fails its turn, and the next one has nothing of it.
func TestLongLine(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		u := p.deliver("hello")
		p.says(strings.Repeat("x", maxLine))
		p.says("xx")
		u.fails(t, "8 MiB")
		u = p.deliver("again")
		p.says("xx\nanswer\n")
		u.answers(t, "answer")
	})
}

// TestReadyAfterTheInputIsRead: a turn that ended before its line was read leaves none
// of it to the next one, which says what is in the way.
func TestReadyAfterTheInputIsRead(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		u := p.turn()
		u.text = "not read"
		go func() { u.outcome <- p.d.Deliver(u.ctx, u) }()
		synctest.Wait()
		u.cancel(errStop)
		<-u.outcome
		began := time.Now()
		if err := p.d.Ready(t.Context(), nil, time.Minute, nil); err == nil || time.Since(began) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		p.reads("not read")
		if err := p.d.Ready(t.Context(), nil, time.Minute, nil); err != nil {
			t.Error(err)
		}
	})
}

// TestClosedOutput: a program that lives without an output can answer nothing. If it has
// ended, that is told instead, which takes a moment.
func TestClosedOutput(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		u := p.deliver("hello")
		p.says("half of it\n")
		time.Sleep(quiet / 2)
		close(p.silent)
		time.Sleep(endTime - 1)
		u.running(t)
		u.fails(t, "closed its output")

		begun := time.Now()
		p.deliver("again").fails(t, "closed its output")
		c := p.calls("1", nil)
		if r := <-c.result; r.err != errClosed {
			t.Errorf("%q, %v", r.Output, r.err)
		}
		if took := time.Since(begun); took != 2*endTime {
			t.Errorf("two turns took %v", took)
		}
	})
}
