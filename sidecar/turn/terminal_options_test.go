package turn_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// marker is a menu whose marker moves down, and that ends at Enter.
const marker = `m=1; stty raw -echo; printf '\033[?25l'
draw() {
  printf '? Which?\r\n'
  if [ $m = 1 ]; then printf '\342\235\257 red\r\n  green\r\n'; else printf '  red\r\n\342\235\257 green\r\n'; fi
  printf '> enter to select'
}
draw
while :; do
  case $(dd bs=8 count=1 2>/dev/null | od -An -tx1 | tr -d ' \n') in
  1b5b42) m=2; printf '\r\033[3A\033[J'; draw ;;
  0d) break ;;
  esac
done
printf '\r\033[3A\033[J\033[?25h'; stty sane; echo got $m
`

// list is a numbered list that is answered by a line.
const list = `printf 'Which size?\n  1) small\n  2) large\nYour choice: '; read -r n; echo got $n
`

// TestTerminalOptions: options of a program without a profile are a question, however
// they look. They are answered by their label, by what moves or by what is typed, and are no part
// of the answer.
func TestTerminalOptions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ program, text, reply, answer string }{
		"a marker that moves": {marker, "Which?", "green", "got 2"},
		"a list":              {list, "Which size? Your choice:", "large", "got 2"},
		"a list, by number":   {list, "Which size? Your choice:", "2", "got 2"},
		"letters":             {"printf 'Go on? [y/n/t] '; read -r v; echo got $v\n", "Go on? [y/n/t]", "t", "got t"},
		"yes or no, by key":   {"printf 'Go on? [y/N] '; read -r v; echo got $v\n", "Go on? [y/N]", "y", "got y"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(o *turn.Options) {
				o.Mode, o.Command = turn.ModePTY, sh("printf 'go> '; while read -r line; do\n"+c.program+"printf 'go> '; done")
			})
			k := r.send("menu")
			asks := r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
			if asks.Status.State != a2a.StateInputRequired || !strings.Contains(status(asks), c.text) {
				t.Fatalf("task is %s (%q) with %q", asks.Status.State, status(asks), answer(asks))
			}
			if err := k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(c.reply)}}); err != nil {
				t.Fatal(err)
			}
			got := r.end(k)
			if got.Status.State != a2a.StateCompleted || !strings.HasSuffix(answer(got), c.answer) || strings.Contains(answer(got), "1) small") {
				t.Errorf("task is %s with %q, want %q", got.Status.State, answer(got), c.answer)
			}
		})
	}
}
