package turn_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

const usr1 = syscall.SIGUSR1

// gate lets a shell script wait for the test: `read x < "$1"`.
type gate string

func newGate(t testing.TB) gate {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return gate(path)
}

// open lets one reader go. It waits for that reader.
func (g gate) open(t testing.TB) {
	t.Helper()
	f, err := os.OpenFile(string(g), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("go\n"); err != nil {
		t.Fatal(err)
	}
}
