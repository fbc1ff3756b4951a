package sidecar_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// shellACP is an agent of the Agent Client Protocol of which nothing is known: a shell script. It numbers its
// conversations and says which one it was asked in.
const shellACP = `n=0
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  case $line in
  *'"initialize"'*) r='{"protocolVersion":1,"agentInfo":{"name":"Shell agent","version":"7"},"agentCapabilities":{}}' ;;
  *'"session/new"'*) n=$((n+1)); r='{"sessionId":"s'$n'"}' ;;
  *'"session/prompt"'*)
    s=${line#*'"sessionId":"'}; s=${s%%\"*}
    echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"'$s'","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"asked in '$s'"}}}}'
    r='{"stopReason":"end_turn"}' ;;
  *) continue ;;
  esac
  echo '{"jsonrpc":"2.0","id":'$id',"result":'$r'}'
done`

// TestAgentThatNobodyKnowsSpeaksACP: it needs no code of ours, and its process is nobody's, but each conversation
// its caller's.
func TestAgentThatNobodyKnowsSpeaksACP(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	r := run(t, "--workspace", workspace, "--mode", "acp", "--token-file", writeTokens(t), "--", "sh", "-c", shellACP)
	for i, c := range []struct{ token, context, says string }{
		{aliceToken, "a", "asked in s1"}, {bobToken, "b", "asked in s2"}, {aliceToken, "a", "asked in s1"}, {aliceToken, "", "asked in s3"},
	} {
		task := r.beginAs(c.token, "hello", c.context)
		r.untilState(c.token, task.ID, a2a.StateCompleted)
		done, err := r.as(c.token).Get(r.context(), &a2a.GetRequest{ID: task.ID})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(artifact(done, "response")); got != c.says || done.Metadata["sharedSession"] != nil {
			t.Errorf("message %d: %q, want %q; metadata %v", i, got, c.says, done.Metadata)
		}
	}
	s, body := r.status(bobToken)
	if len(s.Sessions) != 1 || s.Sessions[0].Other || s.Sessions[0].ContextID != "" || s.Sessions[0].Turns != 4 {
		t.Errorf("sessions %+v", s.Sessions)
	}
	for _, want := range []string{`"agent":{"name":"Shell agent","version":"7","protocol":"acp 1"`, `"many":true`} {
		if !strings.Contains(body, want) {
			t.Errorf("the status is without %s: %s", want, body)
		}
	}
	if _, err := os.Stat(workspace + "/.spring/bridge/conversations"); err == nil {
		t.Error("the workspace keeps conversations, and nobody asked for that")
	}
	if code := r.stop(); code != 0 { // it ends with its input
		t.Errorf("exit code %d", code)
	}
}

// TestModesThatCannotBegin end the sidecar at its start, with the reason.
func TestModesThatCannotBegin(t *testing.T) {
	t.Parallel()
	for says, args := range map[string][]string{
		"it is not known that cat speaks in messages of its own": {"--mode", "stream", "--", "cat"},
		"the command is no ACP agent":                            {"--mode", "acp", "--", "cat"},
		"gemini takes no options in --mode stream":               {"--mode", "stream", "--agent-option", "mode=plan", "--", "gemini"},
	} {
		r := startOnly(t, []string{"SIDECAR_WORKSPACE=" + t.TempDir()}, args...)
		if code := r.wait(); code != 125 || !strings.Contains(r.log.String(), says) {
			t.Errorf("%v: exit code %d, want the reason %q", args, code, says)
		}
	}
	r := startOnly(t, []string{"SIDECAR_WORKSPACE=" + t.TempDir()}, "--mode", "acp", "--", "sh", "-c", "exit 9")
	if code := r.wait(); code != 9 {
		t.Errorf("the agent's exit code 9 became %d", code)
	}
}

// TestEndsBeforeTheAgentAnswers: while an agent is awaited that does not speak what --mode says, the sidecar
// ends when it is asked to, and the agent with it.
func TestEndsBeforeTheAgentAnswers(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"acp", "stream"} { // a process for all contexts, and one for each
		mute := filepath.Join(t.TempDir(), "claude")
		if err := os.WriteFile(mute, []byte("#!/bin/sh\ntouch \"$0.started\"\nexec sleep 3600\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		r := startOnly(t, []string{"SIDECAR_WORKSPACE=" + t.TempDir()}, "--mode", mode, "--ready-timeout", "1h", "--", mute)
		await.True(t, "the agent's start", func() bool { _, err := os.Stat(mute + ".started"); return err == nil })
		if code := r.stop(); code == 125 || strings.Contains(r.log.String(), `"msg":"serving"`) {
			t.Errorf("%s: exit code %d, or it has begun to serve", mode, code)
		}
		warned := strings.Contains(r.log.String(), "--mode acp: claude is not known to speak ACP itself: run claude-agent-acp or claude-code-acp in its place, or use --mode stream")
		if want := mode == "acp"; warned != want {
			t.Errorf("%s: warned of the mode: %v", mode, warned)
		}
	}
}

// TestAutoSaysWhy, in the log and in the status.
func TestAutoSaysWhy(t *testing.T) {
	t.Parallel()
	r := run(t, "--workspace", t.TempDir(), "--mode", "auto", "--", "cat")
	r.log.Says(t, `"msg":"--mode auto has settled on a mode","mode":"pty","reason":"no other mode is known to suit cat"`)
	if s, body := r.status(""); s.Mode != "pty" || !strings.Contains(body, `"modeReason":"no other mode is known to suit cat"`) {
		t.Errorf("the status is %s", body)
	}
}
