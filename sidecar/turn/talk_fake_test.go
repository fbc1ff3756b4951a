package turn_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// talkLine is a line of the protocol that the tests' agent speaks, in both directions.
type talkLine struct {
	Op   string `json:"op"` // start, open, prompt; said, done
	ID   string `json:"id,omitempty"`
	Text string `json:"text,omitempty"`
	Bad  bool   `json:"bad,omitempty"`
}

// playTalker is an agent that speaks lines of JSON. It keeps its conversations in the directory dir, one
// file each with a line for each message, and answers a message with its process, its conversation and
// how many messages that had. Habits: single (one conversation, resumed by --resume ID), deaf (it takes
// no end of its input, and no TERM), parent (it leaves a process in a session of its own).
func playTalker(args []string) int {
	dir, single, resume := args[0], false, ""
	for i, a := range args {
		switch {
		case a == "single":
			single = true
		case a == "--resume":
			resume = args[i+1]
		case a == "deaf":
			signal.Ignore(syscall.SIGTERM)
			defer func() { select {} }()
		case a == "parent":
			child := exec.Command("sleep", "3600")
			child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			check(child.Start())
			check(os.WriteFile(filepath.Join(dir, "child"), fmt.Append(nil, child.Process.Pid), 0o600))
		}
	}
	knows := func(id string) bool { _, err := os.Stat(filepath.Join(dir, id+".conv")); return id != "" && err == nil }
	if resume != "" && !knows(resume) {
		fmt.Fprintln(os.Stderr, "no conversation", resume)
		return 1
	}
	reply := func(l talkLine) { b, _ := json.Marshal(l); fmt.Println(string(b)) }
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var l talkLine
		check(json.Unmarshal(in.Bytes(), &l))
		switch l.Op {
		case "start":
			reply(talkLine{Op: "done", Bad: l.Text == "bad", Text: "there is no such option"})
		case "open":
			id := l.ID
			if single && resume != "" {
				id = resume
			}
			if !knows(id) {
				id = fmt.Sprintf("c%d-%d", os.Getpid(), len(glob(dir)))
				check(os.WriteFile(filepath.Join(dir, id+".conv"), nil, 0o600))
			}
			reply(talkLine{Op: "done", ID: id})
		case "prompt":
			if l.Text == "exit" {
				fmt.Fprintln(os.Stderr, "as you wish")
				os.Exit(3)
			}
			path := filepath.Join(dir, l.ID+".conv")
			was, err := os.ReadFile(path)
			check(err)
			check(os.WriteFile(path, append(was, '\n'), 0o600))
			reply(talkLine{Op: "said", Text: fmt.Sprintf("%d %s %d %s", os.Getpid(), l.ID, len(was)+1, os.Getenv("TALK"))})
			reply(talkLine{Op: "done"})
		}
	}
	return 0
}

func glob(dir string) []string {
	all, err := filepath.Glob(dir + "/*.conv")
	check(err)
	return all
}

// talkPeer is our end of that protocol.
type talkPeer struct {
	p       peer.Process
	told    func(peer.Conversation)
	replies chan talkLine
	gone    chan struct{}
	close   func()

	mu      sync.Mutex
	half    []byte
	on      peer.Events
	started bool
}

// newTalkPeer returns what makes one; told is told what is opened, nil for nobody.
func newTalkPeer(told func(peer.Conversation)) func(peer.Process) peer.Peer {
	return func(p peer.Process) peer.Peer {
		gone := make(chan struct{})
		return &talkPeer{p: p, told: told, replies: make(chan talkLine, 8), gone: gone, close: sync.OnceFunc(func() { close(gone) })}
	}
}

func (t *talkPeer) Output(chunk []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.half = append(t.half, chunk...)
	for {
		line, rest, whole := bytes.Cut(t.half, []byte("\n"))
		if !whole {
			return
		}
		t.half = rest
		var l talkLine
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		if l.Op == "said" {
			t.on.Say(l.Text)
		} else {
			t.replies <- l
		}
	}
}

func (t *talkPeer) ask(ctx context.Context, l talkLine) (talkLine, error) {
	b, _ := json.Marshal(l)
	if _, err := t.p.Input.Write(append(b, '\n')); err != nil {
		return talkLine{}, peer.ErrClosed
	}
	select {
	case r := <-t.replies:
		if r.Bad {
			return r, errors.New(r.Text)
		}
		return r, nil
	case <-t.gone:
		return talkLine{}, peer.ErrClosed
	case <-ctx.Done():
		return talkLine{}, context.Cause(ctx)
	}
}

func (t *talkPeer) Start(ctx context.Context) error {
	l := talkLine{Op: "start"}
	for _, o := range t.p.Options {
		l.Text = o.Value
	}
	_, err := t.ask(ctx, l)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.started = err == nil
	return err
}

func (t *talkPeer) About() peer.About {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.started {
		return peer.About{}
	}
	return peer.About{Name: "Talker", Version: "1.2", Protocol: "talk 1", Resumes: true, Options: []peer.Choice{{Key: "mode", Value: "plan", Values: []string{"plan", "act"}}}}
}

func (t *talkPeer) Open(ctx context.Context, c peer.Conversation) (string, error) {
	if t.told != nil {
		t.told(c)
	}
	r, err := t.ask(ctx, talkLine{Op: "open", ID: c.ID})
	return r.ID, err
}

func (t *talkPeer) Prompt(ctx context.Context, id string, m peer.Message, on peer.Events) (peer.Ending, error) {
	t.mu.Lock()
	t.on = on
	t.mu.Unlock()
	_, err := t.ask(ctx, talkLine{Op: "prompt", ID: id, Text: m.Text})
	return peer.Ending{OK: err == nil}, err
}

func (t *talkPeer) Cancel(string) {}

func (t *talkPeer) Close() { t.close() }

// talks makes a rig of the tests' agent. It is a stream if there is one, else an agent of ModeACP.
func talks(t *testing.T, dir string, stream *spec.Stream, set func(*turn.Options), habits ...string) *rig {
	t.Helper()
	return newRig(t, func(o *turn.Options) {
		talking(o, dir, stream, habits...)
		if set != nil {
			set(o)
		}
	})
}

func talking(o *turn.Options, dir string, stream *spec.Stream, habits ...string) {
	plays(o, "talker", append([]string{dir}, habits...)...)
	o.StateDir = filepath.Join(dir, "state")
	o.Mode, o.ACP = turn.ModeACP, newTalkPeer(nil)
	if stream != nil {
		o.Mode, o.ACP, o.Agent = turn.ModeStream, nil, &spec.Agent{Name: "talker", Stream: stream}
	}
}

// singleStream is how the tests' agent is spoken to if its process holds one conversation.
func singleStream() *spec.Stream {
	return &spec.Stream{Single: true, Peer: newTalkPeer(nil), Plan: func(l *spec.Launch) (spec.Plan, error) {
		if l.Conversation == "" {
			return spec.Plan{}, nil
		}
		return spec.Plan{Argv: l.With("--resume", l.Conversation)}, nil
	}}
}

// spoke is what the agent says of itself in an answer.
type spoke struct {
	pid, count   int
	conversation string
}

func (r *rig) spoke(contextID string) (s spoke, newSession bool) {
	r.t.Helper()
	got := r.end(r.sendTo(contextID, "hello"))
	if n, _ := fmt.Sscan(answer(got), &s.pid, &s.conversation, &s.count); n != 3 {
		r.t.Fatalf("%s says %q (%s)", contextID, answer(got), status(got))
	}
	if meta(got.Metadata, "sharedSession") != "" {
		r.t.Errorf("%s is said to share a conversation", contextID)
	}
	return s, strings.TrimSpace(meta(got.Metadata, "newSession")) == "true"
}
