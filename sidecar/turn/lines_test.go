package turn_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// playLines is a program that reads lines and writes lines. A message tells it what
// to do, a call does what its tool's name says.
func playLines() int {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	signal.Ignore(syscall.SIGTERM) // the end of its input has to do
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		var c struct {
			ToolCall *struct {
				ID, Name  string
				Arguments json.RawMessage
			} `json:"toolCall"`
		}
		if json.Unmarshal([]byte(line), &c) != nil || c.ToolCall == nil {
			if code, ends := linesMessage(strings.TrimSuffix(line, "\n")); ends {
				return code
			}
			continue
		}
		reply := func(rest string) { fmt.Printf(`{"toolResult":{"id":%q,%s}}`+"\n", c.ToolCall.ID, rest) }
		switch c.ToolCall.Name {
		case "acme.echo":
			fmt.Println("at it")
			reply(`"structuredContent":` + string(c.ToolCall.Arguments))
		case "acme.until": // an interrupt
			fmt.Println("waiting")
			<-interrupted
			reply(`"content":"interrupted","isError":true`)
		case "acme.never":
			fmt.Println("waiting")
			for times := 0; times < 2; {
				select {
				case <-interrupted:
					times++
				case <-time.After(10 * time.Millisecond):
					fmt.Println("still at it")
				}
			}
		}
	}
}

func linesMessage(text string) (code int, ends bool) {
	switch text {
	case "half":
		fmt.Print("half a line")
		fmt.Fprintln(os.Stderr, "first\nwhat was wrong")
		return 3, true
	case "deaf":
		os.Stdin.Close()
		fmt.Println("closed")
		select {} // until it is killed
	case "pid":
		fmt.Println(os.Getpid())
	case "env":
		fmt.Printf("TERM=%q\n", os.Getenv("TERM"))
	default:
		fmt.Printf("\nyou said\n\n%s\n\n", text)
	}
	return 0, false
}

func linesRig(t *testing.T, set ...func(o *turn.Options)) *rig {
	t.Helper()
	return newRig(t, func(o *turn.Options) {
		o.Mode, o.Quiet = turn.ModeLines, 100*time.Millisecond // an answer comes in one piece
		plays(o, "lines")
		for _, s := range set {
			s(o)
		}
	})
}

func TestLinesMessage(t *testing.T) {
	t.Parallel()
	r := linesRig(t, func(o *turn.Options) { o.Env = append([]string{"TERM=dumb"}, o.Env...) })
	got := r.ask("hello")
	want(t, got, a2a.StateCompleted, "you said\n\nhello")
	if meta(got.Metadata, "inferred") != "true" {
		t.Errorf("metadata %v, want inferred", got.Metadata)
	}
	want(t, r.ask("again"), a2a.StateCompleted, "you said\n\nagain")
	want(t, r.ask("env"), a2a.StateCompleted, `TERM="dumb"`)
	if mine, others := r.Views(""); len(mine)+others != 0 {
		t.Errorf("there is a terminal to see: %d, %d", len(mine), others)
	}
}

func TestLinesCall(t *testing.T) {
	t.Parallel()
	r := linesRig(t, func(o *turn.Options) { o.Quiet = time.Hour }) // no silence ends a call
	for range 3 {
		got, err := r.call("acme.echo", `{"text": "hi"}`)
		if err != nil || got.IsError || string(got.Structured) != `{"text":"hi"}` {
			t.Fatalf("%+v, %v", got, err)
		}
	}
}

func TestLinesCancel(t *testing.T) {
	t.Parallel()
	for tool, acknowledged := range map[string]bool{"acme.until": true, "acme.never": false} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			r := linesRig(t, func(o *turn.Options) {
				o.Quiet = time.Hour
				if !acknowledged {
					o.CancelGrace = 2 * time.Second // it says something all the time
				}
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			k := r.tasks.Create("", a2a.NewID(), &a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("x")}}, nil)
			_, err := r.Call(ctx, driver.Call{Task: k, ID: "call-1", Tool: tool, Output: func([]byte) { cancel(task.ErrCanceled) }})
			if !errors.Is(err, task.ErrCanceled) {
				t.Fatalf("%v", err)
			}
			if ready := r.Ready() == nil; ready != acknowledged {
				t.Errorf("ready is %t", ready)
			}
			if !acknowledged {
				return
			}
			if got, err := r.call("acme.echo", `{}`); err != nil || string(got.Structured) != `{}` {
				t.Errorf("the next one: %+v, %v", got, err)
			}
		})
	}
}

// TestLinesCanceledMessage: a program that says no more has stopped, long before the
// silence that would end its answer.
func TestLinesCanceledMessage(t *testing.T) {
	t.Parallel()
	r := linesRig(t, func(o *turn.Options) { o.Quiet, o.StartQuiet, o.CancelGrace = time.Minute, time.Second, 30*time.Second })
	k := r.send("hello")
	r.said(k, "hello")
	k.Cancel(task.ErrCanceled)
	if got := r.end(k); got.Status.State != a2a.StateCanceled || meta(got.Metadata, "interrupt") != "" {
		t.Errorf("%s, %v", got.Status.State, got.Metadata)
	}
	if err := r.Ready(); err != nil {
		t.Error(err)
	}
}

func TestLinesEnds(t *testing.T) {
	t.Parallel()
	r := linesRig(t)
	got := r.ask("half")
	want(t, got, a2a.StateFailed, "half a line")
	if !strings.Contains(status(got), "exit status 3: what was wrong") || meta(got.Metadata, "exitCode") != "3" {
		t.Errorf("status says %q, metadata %v", status(got), got.Metadata)
	}
	within(t, r.Exited(), "the agent's end")
	if r.Exit().Status() != 3 {
		t.Errorf("exit %s", r.Exit())
	}
}

func TestLinesKilled(t *testing.T) {
	t.Parallel()
	r := linesRig(t, func(o *turn.Options) { o.Restart = turn.RestartOnFailure })
	first := answer(r.ask("pid"))
	pid := 0
	if fmt.Sscan(first, &pid); pid == 0 {
		t.Fatalf("pid %q", first)
	}
	p, err := os.FindProcess(pid)
	if err != nil || p.Kill() != nil {
		t.Fatal(err)
	}
	eventually(t, "another process", func() bool {
		all := r.Status()
		return len(all) == 1 && all[0].PID != pid && r.Ready() == nil
	})
	got := r.ask("pid")
	if answer(got) == first || got.Status.State != a2a.StateCompleted || meta(got.Metadata, "newSession") != "true" {
		t.Errorf("%s %q, metadata %v", got.Status.State, answer(got), got.Metadata)
	}
}

// TestLinesDrain: a program that lives on pipes ends by the end of its input.
func TestLinesDrain(t *testing.T) {
	t.Parallel()
	r := linesRig(t)
	r.ask("hello")
	r.Drain(t.Context(), 0)
	within(t, r.Exited(), "the agent's end")
	if exit := r.Exit(); !exit.Success() {
		t.Errorf("exit %s", exit)
	}
}

// TestLinesSessions: each context has a process of its own where there may be many.
func TestLinesSessions(t *testing.T) {
	t.Parallel()
	r := linesRig(t, func(o *turn.Options) { o.Sessions = 2 })
	one, other := answer(r.end(r.sendTo("one", "pid"))), answer(r.end(r.sendTo("other", "pid")))
	if one == "" || one == other || answer(r.end(r.sendTo("one", "pid"))) != one {
		t.Errorf("processes %q and %q", one, other)
	}
}

// TestLinesInputClosed: a program that lives on and reads no more has not got the
// message.
func TestLinesInputClosed(t *testing.T) {
	t.Parallel()
	r := linesRig(t)
	want(t, r.ask("deaf"), a2a.StateCompleted, "closed")
	got := r.ask("hello")
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "takes no more input") {
		t.Errorf("task is %s, %q", got.Status.State, status(got))
	}
}

// TestLinesLargeMessage: a program that answers while it is still being written to
// holds nobody up.
func TestLinesLargeMessage(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *turn.Options) { o.Mode, o.Quiet, o.Command = turn.ModeLines, time.Second, []string{"cat"} })
	text := strings.TrimSuffix(strings.Repeat(strings.Repeat("y", 1000)+"\n", 2000), "\n")
	want(t, r.ask(text), a2a.StateCompleted, text)
}
