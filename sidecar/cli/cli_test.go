package cli_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/cli"
	"github.com/a2a-sidecar/sidecar/sidecar/unseen/strangers"
)

// TestMain makes this test binary the sidecar command of the scripts.
func TestMain(m *testing.M) {
	if os.Args[0] == tty.GuardName || os.Args[0] == sandbox.ShimName {
		sidecar()
	}
	testscript.Main(m, map[string]func(){"sidecar": sidecar, "umbra": strangers.Main})
}

func sidecar() {
	os.Exit(cli.Main(os.Args, cli.Std{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ(), Version: "v0.0.0-test"}))
}

// TestScripts runs each script with a server at $SIDECAR_URL and a channel at
// $SIDECAR_SOCKET. "told" compares what came by the channel with a file.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       golden.Updating(),
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "told": told, "repeat": repeat, "first": first,
		},
	})
}

type ownerKey struct{}

// raceOptions keep the race detector from sleeping a second at every exit.
const raceOptions = "atexit_sleep_ms=0"

func setup(env *testscript.Env) error {
	t := env.T().(testing.TB)
	env.Setenv("SIDECAR_URL", startAgent(t))
	env.Setenv("GORACE", raceOptions)
	nobody := "http://127.0.0.1:" + ownPort(t)
	env.Setenv("NOBODY", nobody)
	env.Setenv("PAGES", startPages(t))
	runtime, err := os.MkdirTemp("", "sc")
	if err != nil {
		return err
	}
	env.Defer(func() { os.RemoveAll(runtime) })
	o, vars := startChannel(t, runtime, nobody)
	for _, kv := range vars {
		name, value, _ := strings.Cut(kv, "=")
		env.Setenv(name, value)
	}
	env.Setenv("PORT", ownPort(t))
	env.Values[ownerKey{}] = o
	return nil
}

// ownPort is one where nobody listens but who is told of it: it stays bound, so
// that nobody else is given it.
func ownPort(t testing.TB) string {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	syscall.CloseOnExec(fd)
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(at.(*syscall.SockaddrInet4).Port)
}

// exits runs a command that has to end with a code: exits 2 sidecar run.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	if got := exitCode(err); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func exitCode(err error) int {
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ended):
		return ended.ExitCode()
	}
	return -1
}

// told compares what came by the channel: told FILE.
func told(ts *testscript.TestScript, neg bool, args []string) {
	o := ts.Value(ownerKey{}).(*owner)
	got, want := o.take(), ts.ReadFile(args[0])
	if got != want {
		ts.Fatalf("told:\n%swant:\n%s", got, want)
	}
}

// first puts the newest task in a state into $TASK: first STATE.
func first(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(ts.Exec("sidecar", "tasks", "-o", "json", "--state", args[0]))
	var list struct{ Tasks []struct{ ID string } }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
	ts.Setenv("TASK", list.Tasks[0].ID)
}

// repeat makes a large file: repeat TEXT COUNT FILE.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Repeat(args[0], n)), 0o600))
}
