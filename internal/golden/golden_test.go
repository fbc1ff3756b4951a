package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// recorder is a test that keeps what it fails with.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Errorf(format string, args ...any) { r.said += fmt.Sprintf(format, args...) }
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }

const transcript = "what it is\n-- request a --\nping\n-- response a --\npong\n-- other --\nkept\n"

func TestReplay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.txtar")
	if err := os.WriteFile(file, []byte(transcript), 0o600); err != nil {
		t.Fatal(err)
	}
	for answer, same := range map[string]bool{"pong\n": true, "pang\n": false} {
		r := &recorder{TB: t}
		Replay(r, file, func(string) string { return answer })
		if (r.said == "") != same {
			t.Errorf("%q: %s", answer, r.said)
		}
	}
	*update = true
	defer func() { *update = false }()
	Replay(t, file, func(request string) string { return "echo " + request })
	if got, want := Read(t, file), "what it is\n-- request a --\nping\n-- response a --\necho ping\n-- other --\nkept\n"; got != want {
		t.Errorf("wrote %q", got)
	}
}

func TestNothingIsNoSuccess(t *testing.T) {
	r := &recorder{TB: t}
	if Files(r, filepath.Join(t.TempDir(), "*"), 1); r.said == "" {
		t.Error("a pattern without files tests nothing")
	}
}
