package turn_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// sitting is somebody at a real terminal.
type sitting struct {
	keys *os.File
	mu   sync.Mutex
	seen strings.Builder
	new  chan struct{}
}

// sit is a rig with a person at the agent's terminal.
func sit(t testing.TB, argv ...string) (*rig, *sitting) {
	t.Helper()
	return sitWith(t, func(o *turn.Options) { o.Command = argv })
}

func sitWith(t testing.TB, set func(*turn.Options)) (*rig, *sitting) {
	t.Helper()
	master, pts, err := pty.Open()
	if err == nil {
		err = pty.Setsize(master, &pty.Winsize{Cols: 120, Rows: 40})
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &sitting{keys: master, new: make(chan struct{})}
	var reading sync.WaitGroup
	reading.Go(p.look)
	t.Cleanup(func() { pts.Close(); master.Close(); reading.Wait() })
	r := newRig(t, func(o *turn.Options) {
		o.Mode = turn.ModePTY
		set(o)
		o.Person = func(term *tty.Terminal) (*tty.Passthrough, error) { return tty.Attach(term, pts, pts) }
	})
	return r, p
}

// look reads the screen.
func (p *sitting) look() {
	buf := make([]byte, 4096)
	for {
		n, err := p.keys.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.seen.Write(buf[:n])
		close(p.new)
		p.new = make(chan struct{})
		p.mu.Unlock()
	}
}

// sees waits until something is on the screen.
func (p *sitting) sees(t testing.TB, text string) {
	t.Helper()
	deadline := time.After(patience)
	for {
		p.mu.Lock()
		seen, more := p.seen.String(), p.new
		p.mu.Unlock()
		if strings.Contains(seen, text) {
			return
		}
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("%q never came, but %q", text, seen)
		}
	}
}

func (p *sitting) types(t testing.TB, keys string) {
	t.Helper()
	if _, err := p.keys.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

func TestPersonSharesTheTerminal(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r, p := sit(t, "python3", "-q")
	p.sees(t, ">>> ")
	p.types(t, "x = 7\r")
	p.sees(t, "x = 7\r\n")
	want(t, r.ask("x * 6"), a2a.StateCompleted, "42")
	p.sees(t, "42")
}

func TestPersonsLineIsNotSpoiled(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r, p := sit(t, "python3", "-q")
	p.sees(t, ">>> ")
	p.types(t, "y = 'half")
	p.sees(t, "half")
	k := r.send("y")
	eventually(t, "the turn to begin", func() bool { return k.State() == a2a.StateWorking })
	p.types(t, " whole'\r")
	want(t, r.end(k), a2a.StateCompleted, "'half whole'")
}

// TestPersonsStatementIsNotSpoiled: a line that Esc leaves as it is, and one that
// goes on behind another prompt.
func TestPersonsStatementIsNotSpoiled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		argv                       []string
		prompt, begun, shown, rest string
		ask, want                  string
	}{
		{[]string{"bash", "--norc", "--noprofile"}, "bash-", "X=ab\x1b", "X=ab", "\x03", "echo ${X-none}", "none"},
		{[]string{"bash", "--norc", "--noprofile"}, "bash-", "X=ab\x1b[D\x15", "X=ab", "\x05\x15X=c\r", "echo $X", "c"},
		{[]string{"bash", "--norc", "--noprofile"}, "bash-", "for X in 1 2\r", "> ", "do :; done\r", "echo $X", "2"},
		{[]string{"python3", "-q"}, ">>> ", "if True:\r", "... ", " x = 7\r\r", "x * 6", "42"},
	} {
		t.Run(c.begun, func(t *testing.T) {
			t.Parallel()
			needs(t, c.argv[0])
			r, p := sit(t, c.argv...)
			p.sees(t, c.prompt)
			p.types(t, c.begun)
			p.sees(t, c.shown)
			k := r.send(c.ask)
			eventually(t, "the turn to begin", func() bool { return k.State() == a2a.StateWorking })
			typeAfter(t, p, quietTime, c.rest)
			want(t, r.end(k), a2a.StateCompleted, c.want)
		})
	}
}

// quietTime is longer than an empty line is waited for.
const quietTime = 700 * time.Millisecond

// typeAfter types when nothing has been typed for so long.
func typeAfter(t testing.TB, p *sitting, d time.Duration, keys string) {
	t.Helper()
	<-time.After(d)
	p.types(t, keys)
}

func TestPersonsKeysDuringATurnAreTold(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r, p := sit(t, "python3", "-q")
	p.sees(t, ">>> ")
	k := r.send("print('asked', input())")
	p.sees(t, "input())\r\n")
	p.types(t, "me\r")
	got := r.end(k)
	if !strings.Contains(answer(got), "asked me") || meta(got.Metadata, "interleaved") != "true" {
		t.Errorf("answer %q, metadata %v", answer(got), got.Metadata)
	}
}

// TestPersonsLineOutlivesACancel: a turn that waited for the person's line to
// end takes nothing of it when it is canceled.
func TestPersonsLineOutlivesACancel(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r, p := sit(t, "python3", "-q")
	p.sees(t, ">>> ")
	p.types(t, "z = 'ha")
	p.sees(t, "'ha")
	k := r.send("1")
	eventually(t, "the turn to begin", func() bool { return k.State() == a2a.StateWorking })
	k.Cancel(task.ErrCanceled)
	r.end(k)
	p.types(t, "lf'\r")
	want(t, r.ask("z"), a2a.StateCompleted, "'half'")
}

// TestPersonWhoStopsLooking: a stuck terminal does not hold the end.
func TestPersonWhoStopsLooking(t *testing.T) {
	t.Parallel()
	r, p := sit(t, "yes")
	p.sees(t, "y\r\ny\r\n")
	p.mu.Lock() // nobody reads the screen any more
	defer p.mu.Unlock()
	drained := make(chan struct{})
	go func() { r.Drain(t.Context(), 0); close(drained) }()
	within(t, drained, "the drain")
}
