package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the files that the tests compare with")

// Updating reports whether the files are written anew.
func Updating() bool { return *update }

// Files returns the files of a pattern. Fewer than least fail the test: a pattern that
// finds nothing tests nothing.
func Files(t testing.TB, pattern string, least int) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) < least {
		t.Fatalf("%s: found %d files: %v", pattern, len(files), err)
	}
	return files
}

// Each runs a subtest for each file of a pattern. Its name is the file's, without the
// folders before the first * and without its ending.
func Each(t *testing.T, pattern string, least int, test func(t *testing.T, file string)) {
	t.Helper()
	root, _, _ := strings.Cut(pattern, "*")
	for _, file := range Files(t, pattern, least) {
		name := strings.TrimSuffix(strings.TrimPrefix(file, root), filepath.Ext(file))
		t.Run(name, func(t *testing.T) { test(t, file) })
	}
}

// Beside returns the name of the file with another ending.
func Beside(file, ending string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + ending
}

// Read returns a file's text.
func Read(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Same expects that a file has this text.
func Same(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: -want +got; -update writes it:\n%s", file, diff)
	}
}

// Archive reads a txtar file.
func Archive(t testing.TB, file string) *txtar.Archive {
	t.Helper()
	return txtar.Parse([]byte(Read(t, file)))
}

// Replay expects that each file "request NAME" of an archive is followed by a file
// "response NAME" with what answer returns of it. Other files are left as they are.
func Replay(t testing.TB, file string, answer func(request string) string) {
	t.Helper()
	archive := Archive(t, file)
	replayed := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "response") {
			continue
		}
		replayed.Files = append(replayed.Files, f)
		if name, ok := strings.CutPrefix(f.Name, "request"); ok {
			replayed.Files = append(replayed.Files, txtar.File{Name: "response" + name, Data: []byte(answer(string(f.Data)))})
		}
	}
	Same(t, file, string(txtar.Format(replayed)))
}
