package turn_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// cage gives a runner under GovernStrict what it needs for its sandbox.
func cage(t testing.TB, o *turn.Options, needs spec.Confinement) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Sandbox, err = confine.New(confine.Options{Mode: confine.Auto, Self: self, Namespaces: sandbox.NewNamespaces(self)})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Sandbox.AgentFault(); err != nil {
		t.Skipf("no agent runs under --govern=strict here: %v", err)
	}
	needs.Modes = []string{turn.ModeOneshot, turn.ModePTY, turn.ModeACP}
	o.Agent.Govern.Confinement = &needs
}

// playCaged is an agent that answers each message with what it can do: the message has the names of what it tries.
func playCaged(args []string) int {
	c := dial(channel.Capabilities{})
	defer c.Close()
	switch args[0] {
	case "once":
		text, _ := io.ReadAll(os.Stdin)
		fmt.Println(tries(string(text)))
	case "session":
		in := bufio.NewScanner(os.Stdin)
		for fmt.Print("> "); in.Scan(); fmt.Print("> ") {
			said := tries(in.Text())
			fmt.Println(said)
			check(c.Report(context.Background(), channel.Report{State: channel.ReportReady, Text: said, Final: true}))
		}
	case "talk":
		reply := func(l talkLine) { b, _ := json.Marshal(l); fmt.Println(string(b)) }
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			var l talkLine
			check(json.Unmarshal(in.Bytes(), &l))
			if l.Op == "prompt" {
				reply(talkLine{Op: "said", Text: tries(l.Text)})
			}
			reply(talkLine{Op: "done", ID: "c"})
		}
	}
	return 0
}

// tries says which of some words an agent could do: read=FILE, write=FILE, direct=ADDRESS, http=ADDRESS, unix, udp, channel, tty.
func tries(text string) string {
	var could []string
	for what := range strings.FieldsSeq(text) {
		kind, of, _ := strings.Cut(what, "=")
		if try(kind, of) {
			could = append(could, kind)
		}
	}
	return "could: " + strings.Join(could, " ") + "."
}

func try(kind, of string) bool {
	var err error
	switch kind {
	case "read", "own":
		_, err = os.ReadFile(of)
	case "write", "state":
		err = os.WriteFile(of, []byte("x"), 0o600)
	case "temp":
		err = os.WriteFile(filepath.Join(os.TempDir(), "made"), []byte("x"), 0o600)
	case "direct":
		_, err = net.Dial("tcp", of)
	case "unix":
		_, err = net.ListenUnix("unix", &net.UnixAddr{Name: "@" + of})
	case "udp":
		_, err = net.ListenPacket("udp", "127.0.0.1:0")
	case "tty":
		_, err = os.OpenFile("/dev/tty", os.O_RDWR, 0)
	case "http", "model":
		var resp *http.Response
		if resp, err = proxied().Get("http://" + of); err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("it answers %s", resp.Status)
		}
	case "channel":
		c := dial(channel.Capabilities{})
		err = c.Report(context.Background(), channel.Report{State: channel.ReportWorking})
		c.Close()
	}
	return err == nil
}

// proxied returns a client that uses the proxy of the environment, also for the loopback.
func proxied() *http.Client {
	return &http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return url.Parse(os.Getenv("HTTP_PROXY")) }}}
}

// TestAStrictAgentIsInASandbox: in every mode its process uses its state, its TMPDIR, its model and the channel, and neither the
// user's files, nor the workspace, nor another host.
func TestAStrictAgentIsInASandbox(t *testing.T) {
	t.Parallel()
	serve := func() string {
		s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	model, other, granted := serve(), serve(), serve()
	for mode, kind := range map[string]string{turn.ModeOneshot: "once", turn.ModePTY: "session", turn.ModeACP: "talk"} {
		t.Run(mode, func(t *testing.T) {
			home, work := t.TempDir(), t.TempDir()
			for _, name := range []string{".ssh/key", "granted/file"} {
				path := filepath.Join(home, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			all := strings.Join([]string{
				"read=" + home + "/.ssh/key", "write=" + work + "/made", "direct=" + other, "direct=" + model, "http=" + other, "unix=" + filepath.Base(home), "udp",
				"own=" + home + "/granted/file", "state=" + home + "/.caged/made", "temp", "model=" + model, "model=" + granted, "channel",
			}, " ")
			var set *capability.Set
			r := newRig(t, func(o *turn.Options) {
				governed(t, turn.GovernStrict, mode, "1.2.3")(o)
				plays(o, "caged", kind)
				o.Dir, o.Env = work, append(o.Env, "HOME="+home, "CAGED_MODEL=http://"+model)
				a := o.Agent
				a.Govern.Modes, a.Govern.Watched[turn.ModeACP] = append(a.Govern.Modes, mode), "its hook"
				cage(t, o, spec.Confinement{State: []spec.Place{{Path: "~/.caged"}}, Variables: []string{"CAGED_MODEL"}, Hosts: []string{other}})
				if mode == turn.ModeACP {
					o.ACP = newTalkPeer(nil)
				}
				scope, err := capability.NewScope(capability.OS(), capability.Roots{Workspace: []string{work}})
				if err != nil {
					t.Fatal(err)
				}
				set = scope.Expand(manifest.Requires{FSRead: []string{home + "/granted"}, NetHosts: []string{granted}})
				o.Requires = func() *capability.Set { return set }
			})
			k := r.ask(all)
			if said := answer(k); k.Status.State != a2a.StateCompleted || !strings.Contains(said, "could: own state temp model model channel.") {
				t.Errorf("%s: %q %q", k.Status.State, status(k), said)
			}
			if g := r.Governed(); !strings.Contains(g.Sandbox, "landlock") || !strings.Contains(g.Sandbox, "network namespace") {
				t.Errorf("the status is %+v", g)
			}
			if mode == turn.ModePTY {
				if said := answer(r.ask("tty")); !strings.Contains(said, "could: tty.") {
					t.Errorf("of its terminal: %q", said)
				}
			}
			if log := r.log.String(); !strings.Contains(log, "may not reach this host") {
				t.Error("nobody is told of the other host")
			}
		})
	}
}

// TestAStrictAgentWithoutASandbox: the start says what is missing.
func TestAStrictAgentWithoutASandbox(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  func(o *turn.Options)
		want string
	}{
		"nobody measured it": {func(o *turn.Options) { o.Agent.Govern.Confinement = nil }, "it was not measured what governed needs in a sandbox"},
		"another mode":       {func(o *turn.Options) { o.Agent.Govern.Confinement.Modes = []string{turn.ModePTY} }, "governed was not seen to work in a sandbox in --mode oneshot; use --mode pty, or --govern"},
		"nothing confines":   {func(o *turn.Options) { o.Sandbox = nil }, "the agent's own process cannot be put into a sandbox here"},
	} {
		o := defaults()
		governed(t, turn.GovernStrict, turn.ModeOneshot, "1.2.3")(&o)
		o.Host = proc.NewHost(proc.HostOptions{})
		t.Cleanup(o.Host.Close)
		c.set(&o)
		if _, said := turn.New(o); said == nil || !strings.Contains(said.Error(), c.want) {
			t.Errorf("%s: it says %v", name, said)
		}
	}
	r := prepareRig(t, func(o *turn.Options) {
		governed(t, turn.GovernStrict, turn.ModeOneshot, "1.2.3")(o)
		self, _ := os.Executable()
		o.Sandbox, _ = confine.New(confine.Options{Mode: confine.Auto, Self: self, Namespaces: sandbox.NewNamespaces(self), Off: sandbox.Seccomp})
	})
	if err := r.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "--govern=strict: the agent's sandbox: ") {
		t.Errorf("without a layer it says %v", err)
	}
}
