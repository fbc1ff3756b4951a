package console_test

import (
	"os/exec"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// TestShellPromptOrQuestion: a real shell is at its prompt after output without a newline, and a question
// that ends like the prompt is a question, of a child and of the shell's own read.
func TestShellPromptOrQuestion(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	for command, want := range map[string]profile.State{
		"printf foo": profile.Ready,
		"cd /tmp":    profile.Ready,
		"sh":         profile.Ready,
		`sh -c 'printf "Amount in US\$ "; read x'`:              profile.Asking,
		`read -p 'Amount in US$ ' x`:                            profile.Asking,
		`sh -c 'printf "Which one > "; read x'`:                 profile.Asking,
		`sh -c 'printf "New password for root@vm: # "; read x'`: profile.Asking,
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			shell := proctest.Shell("export PS1='$ '; exec bash --norc --noprofile -i")
			con := consoleOf(t, shell)
			until := func(judge func(console.Observation) bool) {
				t.Helper()
				if err := con.Until(await.Context(t), judge); err != nil {
					t.Fatalf("%v: %+v\n%s", err, con.Look().Verdict, con.Look().Screen.Text())
				}
			}
			until(func(o console.Observation) bool { return o.Verdict.State == profile.Ready })
			for _, typed := range []string{command, "\r"} {
				if typed == "\r" {
					until(func(o console.Observation) bool { return o.Screen.CursorCol > len(command) })
					con.Submitted("")
					con.Entering()
				}
				if _, err := con.Type(t.Context(), typed); err != nil {
					t.Fatal(err)
				}
			}
			until(func(o console.Observation) bool {
				return o.Verdict.Source == state.SourceKernel && o.Verdict.State != profile.Working
			})
			if v := con.Look().Verdict; v.State != want {
				t.Errorf("%+v, want %s\n%s", v, want, con.Look().Screen.Text())
			}
		})
	}
}
