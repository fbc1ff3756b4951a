package turn_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// TestTerminalTakesText: the lines of a message go to a program that has no prompt while it takes text,
// as a line editor such as ed does. A question among them is still a question.
func TestTerminalTakesText(t *testing.T) {
	t.Parallel()
	const script = `while printf '* ' && read -r line; do
	case $line in
	a) n=0; while read -r text && [ "$text" != . ]; do n=$((n+1)); done; echo "$n lines" ;;
	sure) printf 'Sure? '; read -r yes; echo "said $yes" ;;
	esac
done`
	r := patient(t, "sh", "-c", script)
	want(t, r.ask("a\none\ntwo\n."), a2a.StateCompleted, "2 lines")
	k := r.send("sure\na")
	got := r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
	if got.Status.State != a2a.StateInputRequired {
		t.Errorf("the next line was typed as the answer: %s %q", got.Status.State, answer(got))
	}
}
