package turn_test

import (
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestTerminalDrawn: what a program draws and erases again is no part of the answer, whether it moves up, puts
// the cursor somewhere or clears the screen. Text that was printed keeps its tabs.
func TestTerminalDrawn(t *testing.T) {
	t.Parallel()
	const script = `printf '> '
while read -r line; do
	case $line in
	up) printf 'one\ntwo\n\033[2A\033[Jthree\n' ;;
	placed) printf '\033[9;9Ha box\033[9;9H      \033[3;1Hthe end\n' ;;
	clear) printf 'before\n\033[H\033[2Jafter\n'; for i in 1 2 3 4 5 6 7 8; do echo $i; done ;;
	text) echo printed ;;
	tabs) printf 'a\tb\n\n\033[1A\n' ;;
	esac
	printf '> '
done`
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command = turn.ModePTY, sh(script)
		o.StartQuiet = 200 * time.Millisecond
	})
	for _, c := range []struct{ say, want string }{
		{"placed", "the end"}, {"up", "three"}, {"clear", "after\n1\n2\n3\n4\n5\n6\n7\n8"}, {"tabs", "a\tb"}, {"text\nup", "printed\nthree"}, {"up\ntext", "three\nprinted"},
	} {
		if got := answer(r.ask(c.say)); got != c.want {
			t.Errorf("%s: %q, want %q", c.say, got, c.want)
		}
	}
}
