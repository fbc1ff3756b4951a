package sidecar_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
)

// acpAgent is an agent that speaks ACP: it asks whether it may run the message as a command, has a file
// written for it, and says what it was told.
const acpAgent = `
id() { rest=${1#*\"id\":}; echo "${rest%%[,\}]*}"; }
say() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
while read -r line; do
  case $line in
    *'"method":"initialize"'*) say '"id":'$(id "$line")',"result":{"protocolVersion":1,"agentCapabilities":{}}' ;;
    *'"method":"session/new"'*) n=$((n + 1)); say '"id":'$(id "$line")',"result":{"sessionId":"s'$n'"}' ;;
    *'"method":"session/prompt"'*)
      prompt=$(id "$line") s=${line#*\"sessionId\":\"} s=${s%%\"*} text=${line#*\"text\":\"} text=${text%%\"*}
      say '"id":900,"method":"session/request_permission","params":{"sessionId":"'$s'","toolCall":{"toolCallId":"t1","kind":"execute","title":"run it","rawInput":{"command":"'"$text"'"}},"options":[{"optionId":"yes","kind":"allow_once","name":"Yes"},{"optionId":"no","kind":"reject_once","name":"No"}]}' ;;
    *'"id":900'*)
      case $line in *'"yes"'*) told=allowed ;; *'"no"'*) told=rejected ;; *) told=neither ;; esac
      say '"id":901,"method":"fs/write_text_file","params":{"sessionId":"'$s'","path":"'"$PWD"'/made","content":"by us"}' ;;
    *'"id":901'*)
      say '"method":"session/update","params":{"sessionId":"'$s'","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$told"'"}}}'
      say '"id":'$prompt',"result":{"stopReason":"end_turn"}' ;;
  esac
done`

// A rule answers an agent that asks in a protocol, without a person; what it leaves open is an approval in
// the turn's task. What the agent has us do goes by the rules too.
func TestAgentsOwnToolsAreJudged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	policy := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, policy, `{"rules":[{"permission":"shell.run","pattern":"git status","action":"allow"},{"permission":"shell.run","pattern":"rm:*","action":"deny","reason":"keep them"},
		{"permission":"fs.write","pattern":"{workspace}/**","action":"allow"}]}`)
	r := run(t, "--policy", policy, "--workspace", dir, "--mode", "acp", "--", "bash", "-c", acpAgent)
	for command, want := range map[string]string{"git status": "allowed", "rm notes": "rejected"} {
		got := r.send(command)
		if got.Status.State != a2a.StateCompleted || artifact(got, "response") != want {
			t.Errorf("%s: %s %q, want %s", command, got.Status.State, artifact(got, "response"), want)
		}
	}
	if made, err := os.ReadFile(filepath.Join(dir, "made")); err != nil || string(made) != "by us" {
		t.Errorf("the file that the agent had written: %q %v", made, err)
	}
	for option, want := range map[string]string{"allow_once": "allowed", "reject": "rejected"} {
		task, d := r.asked(r.client(), "make all")
		if d.Tool != "agent.execute" || d.Source != "agent" || d.TaskID != task.ID || !strings.Contains(d.Text(), "wants     run it") || d.Options[0].Kind != approval.Once.Kind() {
			t.Errorf("it asks\n%s\n%+v", d.Text(), d)
		}
		m := userMessage(option)
		m.TaskID, m.ContextID = task.ID, task.ContextID
		if _, err := r.client().Send(r.context(), &a2a.SendRequest{Message: m}); err != nil {
			t.Fatal(err)
		}
		if got := r.settle(task.ID); artifact(got, "response") != want {
			t.Errorf("%s: %s %q", option, got.Status.State, artifact(got, "response"))
		}
	}
}
