package sandbox_test

import (
	"os"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

func TestMain(m *testing.M) {
	proctest.Main(m, map[string]proctest.Program{
		"embed":  playEmbed,
		"escape": playEscape, "reach": playReach,
	})
}

// system is what every program of a Linux system needs to start.
func system() sandbox.Rules {
	var r sandbox.Rules
	for _, dir := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib64"} {
		r.Exec = append(r.Exec, sandbox.Root{Path: dir})
	}
	r.Devices = []sandbox.Root{{Path: os.DevNull}}
	return r
}

// newSandbox makes a sandbox, or skips the test if the system lacks a layer that it needs.
func newSandbox(t testing.TB, r sandbox.Rules, needs sandbox.Layer) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.New(r)
	if err != nil {
		t.Fatal(err)
	}
	if missing := needs &^ r.Off &^ s.Layers(); missing != 0 {
		t.Skipf("this system has no %s: %v", missing, sandbox.Probe().Why)
	}
	return s
}
