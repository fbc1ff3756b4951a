package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// fakeShell is a shell that runs nothing. It notes what it is asked for.
type fakeShell struct {
	line, dir string
	timeout   time.Duration
	exit      tool.Exit
	err       error
	all       []tool.Process
}

func (f *fakeShell) Run(_ context.Context, line, dir string, timeout time.Duration, out io.Writer) (tool.Exit, error) {
	f.line, f.dir, f.timeout = line, dir, timeout
	_, _ = io.WriteString(out, "said")
	return f.exit, f.err
}

func (f *fakeShell) Start(_ context.Context, line, dir string) (tool.Process, error) {
	f.line, f.dir = line, dir
	if f.err != nil {
		return nil, f.err
	}
	return &fakeProcess{id: "bg-1", line: line}, nil
}

func (f *fakeShell) Processes() []tool.Process { return f.all }

// fakeProcess is a process that is where it says.
type fakeProcess struct {
	id, line, said string
	lost           int64
	exit           tool.Exit
	ended, stopped bool
	waited         bool
}

func (p *fakeProcess) ID() string                    { return p.id }
func (p *fakeProcess) Line() string                  { return p.line }
func (p *fakeProcess) Began() time.Time              { return time.Now() }
func (p *fakeProcess) Read() ([]byte, int64)         { return []byte(p.said), p.lost }
func (p *fakeProcess) Wait(context.Context)          { p.waited = true }
func (p *fakeProcess) Exit() (tool.Exit, bool, bool) { return p.exit, p.stopped, p.ended }
func (p *fakeProcess) Stop()                         { p.stopped, p.ended, p.exit = true, true, tool.Exit{Signal: "SIGTERM"} }

// runs runs one of the tools with arguments that the schema has let through.
func runs(t *testing.T, id, args string, sh tool.Shell) (*tool.Result, string, error) {
	t.Helper()
	set, err := tool.NewSet([]string{id})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := &tool.Call{Args: json.RawMessage(args), Out: &out, Session: &tool.Session{}, Shell: sh}
	r, err := set.Lookup(tool.Prefix+id).Run(t.Context(), c)
	return r, out.String(), err
}

func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestBash(t *testing.T) {
	for _, c := range []struct {
		name, args, err string
		sh              *fakeShell
		want            fakeShell
	}{
		{"a line", `{"command":"ls","timeout":5}`, "", &fakeShell{}, fakeShell{line: "ls", timeout: 5 * time.Millisecond}},
		{"a directory", `{"command":"ls","timeout":120000,"dir":"a"}`, "", &fakeShell{}, fakeShell{line: "ls", dir: "a", timeout: 2 * time.Minute}},
		{"a code", `{"command":"ls"}`, "exit status 3", &fakeShell{exit: tool.Exit{Code: 3}}, fakeShell{line: "ls"}},
		{"a signal", `{"command":"ls"}`, "killed by SIGKILL", &fakeShell{exit: tool.Exit{Signal: "SIGKILL"}}, fakeShell{line: "ls"}},
		{"it was stopped", `{"command":"ls"}`, "gone", &fakeShell{err: errors.New("gone")}, fakeShell{line: "ls"}},
		{"the longest line", `{"command":"` + strings.Repeat("x", 120<<10) + `"}`, "", &fakeShell{}, fakeShell{line: strings.Repeat("x", 120<<10)}},
		{"a longer one", `{"command":"` + strings.Repeat("x", 120<<10+1) + `"}`, "the command has 122881 bytes, and 122880 are the most: write it to a file, and run that", &fakeShell{}, fakeShell{}},
		{"bytes, not characters", `{"command":"` + strings.Repeat("ä", 60<<10+1) + `"}`, "the command has 122882 bytes, and 122880 are the most: write it to a file, and run that", &fakeShell{}, fakeShell{}},
		{"unicode", `{"command":"echo ☃"}`, "", &fakeShell{}, fakeShell{line: "echo ☃"}},
		{"several lines", `{"command":"a\r\nb"}`, "", &fakeShell{}, fakeShell{line: "a\r\nb"}},
		{"a description", `{"command":"ls","description":"lists"}`, "", &fakeShell{}, fakeShell{line: "ls"}},
		{"no shell", `{"command":"ls"}`, "no command can be run here", nil, fakeShell{}},
	} {
		var sh tool.Shell
		if c.sh != nil {
			sh = c.sh
		} else {
			c.sh = &fakeShell{}
		}
		r, said, err := runs(t, "bash", c.args, sh)
		if words(err) != c.err || c.sh.line != c.want.line || c.sh.dir != c.want.dir || c.sh.timeout != c.want.timeout {
			t.Errorf("%s: %v, %.40q in %q for %s", c.name, err, c.sh.line, c.sh.dir, c.sh.timeout)
		}
		if c.want.line != "" && (said != "said" || r.Terminal == nil || r.Terminal.Command != c.want.line || (r.Terminal.Exit == nil) != (c.sh.err != nil)) {
			t.Errorf("%s: %q, %+v", c.name, said, r)
		}
	}
}

func TestBackground(t *testing.T) {
	up := func() *fakeShell {
		return &fakeShell{all: []tool.Process{
			&fakeProcess{id: "bg-1", line: "serve\x1b[31m  it", said: "hello\n"},
			&fakeProcess{id: "bg-2", line: "test " + strings.Repeat("x", 200), ended: true, exit: tool.Exit{Code: 3}},
			&fakeProcess{id: "bg-3", line: "loud", said: "tail", lost: 7, ended: true, stopped: true, exit: tool.Exit{Signal: "SIGKILL"}},
		}}
	}
	for _, c := range []struct{ name, args, said, err string }{
		{"start", `{"action":"start","command":"serve","dir":"a"}`, "[bg-1 runs; it has said nothing new]\n", ""},
		{"start without a command", `{"action":"start"}`, "", "start needs a command"},
		{"start with an id", `{"action":"start","command":"serve","id":"bg-1"}`, "", "id goes with read and stop, and not with start"},
		{"too long a line", `{"action":"start","command":"` + strings.Repeat("x", 120<<10+1) + `"}`, "", "the command has 122881 bytes, and 122880 are the most: write it to a file, and run that"},
		{"read what runs", `{"action":"read","id":"bg-1","wait":5}`, "[bg-1 runs]\nhello\n", ""},
		{"read what has ended", `{"action":"read","id":"bg-2"}`, "[bg-2 has ended: exit status 3; it has said nothing new]\n", ""},
		{"read what has lost some", `{"action":"read","id":"bg-3"}`, "[bg-3 was stopped: killed by SIGKILL; 7 bytes before this are lost]\ntail", ""},
		{"read without an id", `{"action":"read"}`, "", "read needs the id of a process: list shows them"},
		{"read what is not there", `{"action":"read","id":"bg-9\u001b"}`, "", `there is no process "bg-9\x1b" in this conversation: it has bg-1, bg-2 and bg-3`},
		{"read with a command", `{"action":"read","id":"bg-1","command":"rm"}`, "", "command and dir go with start, and not with read"},
		{"stop", `{"action":"stop","id":"bg-1"}`, "[bg-1 was stopped: killed by SIGTERM]\nhello\n", ""},
		{"stop without an id", `{"action":"stop"}`, "", "stop needs the id of a process: list shows them"},
		{"list", `{"action":"list"}`, "bg-1 runs, began 0s ago: serve", ""},
		{"list with a directory", `{"action":"list","dir":"a"}`, "", "command and dir go with start, and not with list"},
	} {
		r, said, err := runs(t, "background", c.args, up())
		if words(err) != c.err || !strings.HasPrefix(said, c.said) || c.name != "list" && said != c.said {
			t.Errorf("%s: %q, %v; want %q, %s", c.name, said, err, c.said, c.err)
		}
		if strings.ContainsRune(said, 0x1b) || c.said != "" && c.name != "list" && (r == nil || r.Terminal == nil || r.Terminal.ID == "") {
			t.Errorf("%s: %q, %+v", c.name, said, r)
		}
	}
	if _, said, _ := runs(t, "background", `{"action":"list"}`, &fakeShell{}); said != "No process of this conversation was started here.\n" {
		t.Errorf("%q", said)
	}
	waits := &fakeProcess{id: "bg-1"}
	if _, _, err := runs(t, "background", `{"action":"read","id":"bg-1","wait":5}`, &fakeShell{all: []tool.Process{waits}}); err != nil || !waits.waited {
		t.Errorf("it did not wait: %v", err)
	}
	if _, _, err := runs(t, "background", `{"action":"start","command":"x"}`, &fakeShell{err: errors.New("8 run")}); words(err) != "8 run" {
		t.Errorf("%v", err)
	}
	if _, _, err := runs(t, "background", `{"action":"list"}`, nil); words(err) != "no command can be run here" {
		t.Errorf("%v", err)
	}
}

// background and apply_patch are offered only if they are named.
func TestExtraToolsAreNamed(t *testing.T) {
	for _, id := range []string{"background", "apply_patch"} {
		for _, names := range [][]string{{tool.Core}, {tool.Core, id}} {
			set, err := tool.NewSet(names)
			if err != nil {
				t.Fatal(err)
			}
			if !set.Has("bash") || set.Has(id) != (len(names) == 2) {
				t.Errorf("%q: bash %t, %s %t", names, set.Has("bash"), id, set.Has(id))
			}
		}
	}
}
