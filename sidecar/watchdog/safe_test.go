package watchdog_test

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// another is a user whom no test runs as.
func another() *proc.User { return &proc.User{UID: 64001, GID: 64001} }

// What the agent's user can change is refused if that is asked for, and told otherwise.
func TestChangeableAtTheStart(t *testing.T) {
	path := program(t, `echo '{"decision":"allow"}'`)
	target := map[string]string{"command": path, "socket": "unix:" + filepath.Join(filepath.Dir(path), "s")}
	for kind, target := range target {
		_, err := watchdog.Open(watchdog.Options{Target: target, Timeout: short, Strict: true, Host: proc.NewHost(proc.HostOptions{})})
		if err == nil || !strings.Contains(err.Error(), "can be changed by the agent's user") {
			t.Errorf("%s, strict: %v", kind, err)
		}
		log := new(await.Log)
		open(t, watchdog.Options{Target: target, Log: log.Logger()})
		if len(log.Lines("the agent's user can change the watchdog")) != 1 {
			t.Errorf("%s: log %s", kind, log)
		}
		log = new(await.Log)
		open(t, watchdog.Options{Target: target, Log: log.Logger(), Agent: another(), Strict: true})
		if log.String() != "" {
			t.Errorf("%s of another user: log %s", kind, log)
		}
	}
}

// A watchdog that was safe at the start is looked at again for each call.
func TestChangeableLater(t *testing.T) {
	path := program(t, `echo '{"decision":"allow"}'`)
	w := open(t, watchdog.Options{Target: path, Agent: another()})
	expect(t, w.Ask(t.Context(), request()), policy.Allow, "", "")
	if err := os.Chmod(path, 0o777); err != nil { // its directory is still ours alone
		t.Fatal(err)
	}
	expect(t, w.Ask(t.Context(), request()), policy.Deny, watchdog.FailedUnsafe, "the watchdog can be changed by the agent's user")

	socket := serve(t, answering(`{"decision":"allow"}`+"\n"))
	w = open(t, watchdog.Options{Target: "unix:" + socket, Agent: another()})
	expect(t, w.Ask(t.Context(), request()), policy.Allow, "", "")
	if err := os.Chmod(filepath.Dir(socket), 0o777); err != nil {
		t.Fatal(err)
	}
	expect(t, w.Ask(t.Context(), request()), policy.Deny, watchdog.FailedUnsafe, "the watchdog can be changed by the agent's user")
}

// Whoever listens must be us, root, or the owner of the directory, and never the agent.
func TestSocketOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("needs root to be somebody else")
	}
	const agent, guard = 64001, 64003
	for _, tc := range []struct {
		name          string
		listens, owns int
		failure       watchdog.Failure
		reason        string
	}{
		{"the agent's user", agent, 0, watchdog.FailedUnsafe, "the watchdog is a program of the agent's user"},
		{"a user of its own", guard, guard, "", ""},
		{"somebody else", guard, 0, watchdog.FailedUnsafe, "the watchdog is a program of a user that does not own its directory"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := serve(t, answering(`{"decision":"allow"}`+"\n"), as(tc.listens))
			if err := os.Chown(filepath.Dir(path), tc.owns, 0); err != nil {
				t.Fatal(err)
			}
			verdict := policy.Deny
			if tc.failure == "" {
				verdict = policy.Allow
			}
			w := open(t, watchdog.Options{Target: "unix:" + path, Agent: another()})
			expect(t, w.Ask(t.Context(), request()), verdict, tc.failure, tc.reason)
		})
	}
}

// answering handles a connection by reading the question and saying text.
func answering(text string) func(net.Conn) {
	return func(c net.Conn) {
		readQuestion(c)
		c.Write([]byte(text))
	}
}
