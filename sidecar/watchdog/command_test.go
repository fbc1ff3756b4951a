package watchdog_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

func TestCommandAnswers(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		verdict      policy.Verdict
		reason       string
	}{
		{"allow", `read -r line; echo '{"decision":"allow"}'`, policy.Allow, ""},
		{"allow without reading", `echo '{"decision":"allow"}'`, policy.Allow, ""},
		{"no line end", `printf '{"decision":"allow","reason":"fine"}'`, policy.Allow, "fine"},
		{"deny by what it reads", `read -r line; case $line in *'"env":"prod"'*) echo '{"decision":"deny","reason":"not to prod"}';; *) echo '{"decision":"allow"}';; esac`,
			policy.Deny, "the watchdog denies it: not to prod"},
		{"deny without a reason", `echo '{"decision":"deny"}'`, policy.Deny, "the watchdog denies it"},
		{"ask", `echo '{"decision":"ask","reason":"first\nsecond\u001b[31m"}'`, policy.Ask, "the watchdog wants it approved: first second[31m"},
		{"with complaints", `echo oops >&2; echo '{"decision":"allow"}'`, policy.Allow, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := open(t, watchdog.Options{Target: program(t, tc.script)})
			expect(t, w.Ask(t.Context(), request()), tc.verdict, "", tc.reason)
		})
	}
}

func TestCommandFailsClosed(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		failure      watchdog.Failure
		reason       string
	}{
		{"crash", `kill -SEGV $$`, watchdog.FailedCrash, "the watchdog crashed: it was killed by SIGSEGV"},
		{"exit status", `echo '{"decision":"allow"}'; exit 3`, watchdog.FailedExit, "the watchdog ended with exit status 3"},
		{"nothing", `:`, watchdog.FailedAnswer, "the watchdog said nothing"},
		{"garbage", `echo allow`, watchdog.FailedAnswer, "the watchdog gave no answer that can be read: "},
		{"no object", `echo '["allow"]'`, watchdog.FailedAnswer, "the watchdog gave no answer that can be read: it is an array and not an object"},
		{"two lines", `echo '{"decision":'; echo '"allow"}'`, watchdog.FailedAnswer, "the watchdog answered with more than one line"},
		{"two answers", `printf '{"decision":"allow"}{"decision":"allow"}'`, watchdog.FailedAnswer, "the watchdog gave no answer that can be read: "},
		{"unknown word", `echo '{"decision":"Allow"}'`, watchdog.FailedAnswer, `the watchdog gave no answer that can be read: its decision is "Allow", which is none of allow, ask and deny`},
		{"no word", `echo '{"reason":"x"}'`, watchdog.FailedAnswer, "the watchdog gave no answer that can be read: it has no decision"},
		{"word is a boolean", `echo '{"decision":true}'`, watchdog.FailedAnswer, "the watchdog gave no answer that can be read: its decision is a boolean and not a string"},
		{"duplicate key", `echo '{"decision":"deny","decision":"allow"}'`, watchdog.FailedAnswer, "the watchdog gave no answer that can be read: "},
		{"another member", `echo '{"decision":"allow","Reason":"x"}'`, watchdog.FailedAnswer, `the watchdog gave no answer that can be read: it has a member "Reason"`},
		{"reason is a number", `echo '{"decision":"allow","reason":1}'`, watchdog.FailedAnswer, "the watchdog gave no answer that can be read: its reason is a number and not a string"},
		{"too long", `head -c 20000 /dev/zero | tr '\0' x`, watchdog.FailedLength, "the watchdog said more than 16KiB"},
		{"endless", `yes`, watchdog.FailedLength, "the watchdog said more than 16KiB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var told watchdog.Failure
			log := new(await.Log)
			w := open(t, watchdog.Options{Target: program(t, tc.script), Failed: func(f watchdog.Failure) { told = f }, Log: log.Logger()})
			a := w.Ask(t.Context(), request())
			if a.Verdict != policy.Deny || a.Failure != tc.failure || !strings.HasPrefix(a.Reason, tc.reason) {
				t.Errorf("answer %s, failure %q, reason %q", a.Verdict, a.Failure, a.Reason)
			}
			if told != tc.failure || len(log.Lines("failure="+string(tc.failure))) != 1 {
				t.Errorf("told %q, log %s", told, log)
			}
		})
	}
}

// A watchdog that does not answer denies when its time has passed, and is stopped with
// all that it started.
func TestCommandTimeout(t *testing.T) {
	host := proctest.NewHost(t)
	w := open(t, watchdog.Options{Target: program(t, `sleep 600 & wait`), Timeout: short, Host: host})
	a := w.Ask(t.Context(), request())
	expect(t, a, policy.Deny, watchdog.FailedTimeout, "the watchdog did not answer within 100ms")
	if a.Took < short {
		t.Errorf("it had only %s", a.Took)
	}
	w.Close()
	if n := host.Running(); n != 0 {
		t.Errorf("%d programs are left", n)
	}
}

// What a watchdog leaves in the background is ended with it: it must not hold anything
// of a call that has gone on.
func TestCommandLeavesNothingBehind(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	w := open(t, watchdog.Options{Target: program(t, `sleep 600 >/dev/null 2>&1 & echo $! >`+pidFile+`; echo '{"decision":"allow"}'`)})
	expect(t, w.Ask(t.Context(), request()), policy.Allow, "", "")
	pid, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	await.True(t, "the background process to end", func() bool {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
}

func TestCommandSeesTheCall(t *testing.T) {
	seen := filepath.Join(t.TempDir(), "seen")
	w := open(t, watchdog.Options{Name: "claude", Target: program(t, `{ cat; env; pwd; } >`+seen+`; echo '{"decision":"allow"}'`)})
	r := request()
	r.Call.Arguments = `{"env":"` + strings.Repeat("x", 300<<10) + `"}` // more than a pipe holds
	r.Requires = &manifest.Requires{NetHosts: []string{"*.example"}}
	expect(t, w.Ask(t.Context(), r), policy.Allow, "", "")
	all, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	line, rest, _ := strings.Cut(string(all), "\n")
	want := `{"version":1,"tool":"acme.deploy","source":"manifest","effects":"write","arguments":` + r.Call.Arguments +
		`,"uses":[{"capability":"fs.write","pointer":"/path","value":"/srv/a"}],"caller":"ann","agent":false,"session":"ctx-1","task":"task-1","call":"call-1",` +
		`"manifest":{"agent":"claude","revision":"sha256:ab","requires":{"net":{"hosts":["*.example"]}}},"decision":{"verdict":"allow","kind":"rule","scope":"manifest","rule":"acme.* allow"}}`
	if line != want || !json.Valid([]byte(line)) {
		t.Errorf("it got %.300s … %s", line, line[max(0, len(line)-400):])
	}
	for _, env := range strings.Fields(rest) {
		switch name, value, _ := strings.Cut(env, "="); name {
		case "PATH":
			if value != "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" {
				t.Errorf("PATH is %s", value)
			}
		case "LANG", "PWD", "OLDPWD", "SHLVL", "_", "/": // what bash sets, and where it is
		default:
			t.Errorf("its environment has %s", env)
		}
	}
}

func TestCancelEndsTheWait(t *testing.T) {
	host := proctest.NewHost(t)
	started := filepath.Join(t.TempDir(), "started")
	w := open(t, watchdog.Options{Target: program(t, `: >`+started+`; sleep 600`), Host: host,
		Failed: func(f watchdog.Failure) { t.Errorf("a call that was canceled counts as %s", f) }})
	ctx, cancel := context.WithCancelCause(t.Context())
	answers := make(chan watchdog.Answer, 1)
	go func() { answers <- w.Ask(ctx, request()) }()
	await.True(t, "the program to start", func() bool { _, err := os.Stat(started); return err == nil })
	cancel(errors.New("not wanted any more"))
	expect(t, await.One(t, answers, "the answer"), policy.Deny, watchdog.FailedStopped, "the watchdog was not heard: the call was stopped")
	await.True(t, "the program to end", func() bool { return host.Running() == 0 })
}

func TestCloseEndsEveryQuestion(t *testing.T) {
	host := proctest.NewHost(t)
	w := open(t, watchdog.Options{Target: program(t, `sleep 600`), Host: host})
	answers := make(chan watchdog.Answer, 3)
	for range 3 {
		go func() { answers <- w.Ask(t.Context(), request()) }()
	}
	await.True(t, "three programs", func() bool { return host.Running() == 3 })
	w.Close()
	if host.Running() != 0 {
		t.Error("Close does not wait for the programs")
	}
	for range 3 {
		expect(t, await.One(t, answers, "an answer"), policy.Deny, watchdog.FailedStopped, "the watchdog was not heard: the call was stopped")
	}
	expect(t, w.Ask(t.Context(), request()), policy.Deny, watchdog.FailedStopped, "the watchdog was not heard: the call was stopped")
}

func TestCommandIsNotThere(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{plain, "/no/such/watchdog", "watchdog", "unix:socket", "http://127.0.0.1/", "https:///x", "https://u:p@host/"} {
		if _, err := watchdog.Open(watchdog.Options{Target: target, Timeout: time.Second, Host: proctest.NewHost(t)}); err == nil {
			t.Errorf("%s is taken", target)
		}
	}
	gone := program(t, `echo '{"decision":"allow"}'`)
	w := open(t, watchdog.Options{Target: gone, Agent: &proc.User{UID: 64001, GID: 64001}})
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	if a := w.Ask(t.Context(), request()); a.Verdict != policy.Deny || a.Failure != watchdog.FailedUnavailable {
		t.Errorf("a program that has gone: %+v", a)
	}
}

// What a watchdog that fails has written is logged without what the operator hides.
func TestComplaintsWithoutSecrets(t *testing.T) {
	var log await.Log
	w := open(t, watchdog.Options{
		Target: program(t, `read -r line; echo "cannot read $line" >&2; exit 3`), Log: slog.New(slog.NewTextHandler(&log, nil)),
		Clean: func(s string) string { return strings.ReplaceAll(s, "prod", "[redacted]") },
	})
	expect(t, w.Ask(t.Context(), request()), policy.Deny, watchdog.FailedExit, "the watchdog ended with exit status 3")
	if text := log.String(); strings.Contains(text, "prod") || !strings.Contains(text, "[redacted]") {
		t.Errorf("the log: %s", text)
	}
}
