package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/oneshot"
)

// onceScript plays an agent with a process for each message, of which dir holds what it prints: recorded output in
// "out", the exit code in "code", and in "known" the conversations that it has. It writes its arguments, the message
// and a variable to "log".
const onceScript = `dir=$1; shift
read -r message
echo "a warning" >&2
echo "$* < $message, $GEMINI_CLI_NO_RELAUNCH" >>"$dir/log"
while [ $# -gt 0 ]; do
  case $1 in
  --session-id) grep -qx "$2" "$dir/known" && exit 42; echo "$2" >>"$dir/known" ;;
  --resume) grep -qx "$2" "$dir/known" || { echo "no session $2" >&2; exit 42; } ;;
  esac
  shift
done
cat "$dir/out"
exit "$(cat "$dir/code")"`

const onceAnswer = `{"type":"init","timestamp":"2026-11-20T09:29:31.675Z","session_id":"6034fcfe-5ff7-498a-b0d5-0cd9348d3ca5","model":"auto"}
{"type":"message","timestamp":"2026-11-20T09:29:31.676Z","role":"user","content":"hello sj"}
{"type":"message","timestamp":"2026-11-20T09:29:31.710Z","role":"assistant","content":"ECHO: ","delta":true}
{"type":"message","timestamp":"2026-11-20T09:29:31.711Z","role":"assistant","content":"hello ","delta":true}
{"type":"message","timestamp":"2026-11-20T09:29:31.711Z","role":"assistant","content":"sj","delta":true}
{"type":"result","timestamp":"2026-11-20T09:29:31.732Z","status":"success","stats":{"total_tokens":30,"input_tokens":20,"output_tokens":10}}
`

// once is a directory of onceScript.
type once string

func (o once) put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(string(o), name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// lastLine is what the agent was last started with.
func (o once) lastLine(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(string(o), "log"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return lines[len(lines)-1]
}

func (o once) rig(t *testing.T) *rig {
	return newRig(t, func(opt *turn.Options) {
		gemini := agent.Named("gemini")
		opt.Mode, opt.Agent, opt.Command, opt.StateDir = turn.ModeStream, &gemini, sh(onceScript, string(o)), string(o)+"/state"
	})
}

// TestStreamOfAProcessForEachMessage: the conversation goes on by the agent's own names for it, over a restart.
func TestStreamOfAProcessForEachMessage(t *testing.T) {
	t.Parallel()
	o := once(t.TempDir())
	o.put(t, "known", "")
	o.put(t, "out", onceAnswer)
	o.put(t, "code", "0")
	r := o.rig(t)
	if !r.PerTurn() || r.Exited() != nil || len(r.Status()) != 0 {
		t.Error("there is a process that lives through turns")
	}
	got := r.end(r.sendTo("my context", "hi"))
	want(t, got, a2a.StateCompleted, "ECHO: hello sj")
	if meta(got.Metadata, "sv.usage.input_tokens") != "20" || meta(got.Metadata, "sv.usage.output_tokens") != "10" {
		t.Errorf("metadata %v", got.Metadata)
	}
	name := oneshot.UUID("my context")
	if line := o.lastLine(t); line != "--session-id "+name+" -o stream-json < hi, true" {
		t.Errorf("begun by %q", line)
	}
	r.end(r.sendTo("my context", "again"))
	if line := o.lastLine(t); line != "--resume "+name+" -o stream-json < again, true" {
		t.Errorf("resumed by %q", line)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r = o.rig(t)
	want(t, r.end(r.sendTo("my context", "later")), a2a.StateCompleted, "ECHO: hello sj")
	if line := o.lastLine(t); line != "--resume "+name+" -o stream-json < later, true" {
		t.Errorf("after a restart: %q", line)
	}
	// The agent has forgotten it: another conversation of that name begins, in the same turn.
	o.put(t, "known", "")
	got = r.end(r.sendTo("my context", "anew"))
	want(t, got, a2a.StateCompleted, "ECHO: hello sj")
	if line := o.lastLine(t); line != "--session-id "+name+" -o stream-json < anew, true" || meta(got.Metadata, "newSession") != "true" {
		t.Errorf("forgotten: %q, metadata %v", line, got.Metadata)
	}
	if err := r.Claim("bob", "my context"); err == nil {
		t.Error("bob may have another caller's conversation")
	}
}

// TestStreamIsJudgedByItsFinalEvent, whatever the exit code is.
func TestStreamIsJudgedByItsFinalEvent(t *testing.T) {
	t.Parallel()
	o := once(t.TempDir())
	o.put(t, "known", "")
	r := o.rig(t)
	lines := strings.SplitAfter(onceAnswer, "\n")
	failed := lines[0] + `{"type":"result","status":"error","error":{"type":"unknown","message":"stub failure"}}` + "\n"
	for _, c := range []struct {
		out, code string
		state     a2a.TaskState
		says      string
	}{
		{onceAnswer, "7", a2a.StateCompleted, ""},
		{failed, "144", a2a.StateFailed, "stub failure"},
		{failed, "0", a2a.StateFailed, "stub failure"},
		{strings.Join(lines[:4], ""), "0", a2a.StateFailed, "without a final event"},
		{lines[0], "42", a2a.StateFailed, "exit status 42"}, // it has said something: the conversation is known
	} {
		o.put(t, "out", c.out)
		o.put(t, "code", c.code)
		got := r.ask("x")
		if failed := c.state == a2a.StateFailed; failed != (artifact(got, "stderr") != nil) {
			t.Errorf("exit %s after %.80q: artifacts %+v", c.code, c.out, got.Artifacts)
		}
		if got.Status.State != c.state || !strings.Contains(status(got), c.says) || meta(got.Metadata, "newSession") != "" {
			t.Errorf("exit %s after %.80q: %s %q, metadata %v", c.code, c.out, got.Status.State, status(got), got.Metadata)
		}
	}
}

// TestStreamOfAProcessForEachMessageTakesNoOptions: nobody would give them to the agent.
func TestStreamOfAProcessForEachMessageTakesNoOptions(t *testing.T) {
	t.Parallel()
	o := defaults()
	o.Mode, o.Command, o.AgentOptions = turn.ModeStream, []string{"gemini"}, []peer.Option{{Key: "mode", Value: "plan"}}
	host(t, &o)
	if _, err := turn.New(o); err == nil || !strings.Contains(err.Error(), "gemini takes no options in --mode stream") {
		t.Error(err)
	}
	r := prepareRig(t, func(o *turn.Options) {
		o.Mode, o.Command = turn.ModeStream, []string{"gemini", "-o", "text"}
		o.Env = append(o.Env, "PATH="+t.TempDir())
		program := filepath.Join(t.TempDir(), "gemini")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		o.Command[0] = program
	})
	if err := r.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "-o text is not what is read here") {
		t.Error(err)
	}
}
