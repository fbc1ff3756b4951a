package lockfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/mcp/lockfile"
)

func sample() *lockfile.Lock {
	return &lockfile.Lock{Servers: map[string]lockfile.Server{
		"b": {Name: "B", Version: "1", Tools: map[string]string{"x": "sha256:1", "y": "sha256:2"}},
		"a": {Tools: map[string]string{}},
	}}
}

func TestWriteAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockfile.Name)
	if _, err := lockfile.Read(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for range 2 { // it is replaced, too
		if err := sample().Write(path); err != nil {
			t.Fatal(err)
		}
	}
	l, err := lockfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if left := lockfile.Compare(sample(), l); len(left) > 0 {
		t.Errorf("%v", left)
	}
	if l.Digest("b") != sample().Digest("b") || l.Digest("b") == l.Digest("a") || l.Digest("c") != "" || (*lockfile.Lock)(nil).Digest("b") != "" {
		t.Error("digests are wrong")
	}
	if all, _ := os.ReadDir(filepath.Dir(path)); len(all) != 1 {
		t.Errorf("%d files are left", len(all))
	}
}

func TestCompare(t *testing.T) {
	now := &lockfile.Lock{Servers: map[string]lockfile.Server{
		"b": {Name: "B", Version: "2", Tools: map[string]string{"x": "sha256:3", "z": "sha256:2"}},
		"c": {},
	}}
	if got, want := fmt.Sprint(lockfile.Compare(sample(), now)), `[gone a version b changed b: "x" gone b: "y" new b: "z" new c]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := fmt.Sprint(lockfile.Compare(nil, now)), `[new b new c]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestFaults(t *testing.T) {
	for src, want := range map[string]string{
		`{}`: `"version" and "servers" are both needed`, `{"version":2,"servers":{}}`: `lock:1:12: /version: this format is not known here`,
		`{"version":1,"servers":[]}`: `must be an object`, `{"version":1,"servers":{"a":{"tool":{}}}}`: `write "tools"`,
		`{"version":1,"servers":{"a":{"tools":{"x":1}}}}`: `/servers/a/tools/x: must be a string`, `{`: `lock:1:`,
	} {
		if _, err := lockfile.Parse("lock", []byte(src)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", src, err)
		}
	}
}
