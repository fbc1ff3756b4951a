package turn_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// threaded is a runner of an agent that says which thread it was given. bad is a
// context that it never begins.
func threaded(t *testing.T, state string) *rig {
	return newRig(t, func(o *turn.Options) {
		o.Command = sh(`[ "$1 $2" = "--new bad" ] && exit 1; echo "$@"`)
		o.StateDir, o.ThreadCreate, o.ThreadResume = state, "--new", "--resume="
	})
}

// mustHave: a turn of the caller in the context gets these arguments.
func (r *rig) mustHave(caller, contextID, args string) {
	r.t.Helper()
	if err := r.Claim(caller, contextID); err != nil {
		r.t.Errorf("%q may not have the context %s: %v", caller, contextID, err)
	}
	k, err := r.by(caller, contextID, "x")
	if err != nil {
		r.t.Fatal(err)
	}
	want(r.t, r.end(k), a2a.StateCompleted, args+"\n")
}

// mustNotHave: neither a turn nor a call of the caller gets at the context's
// thread.
func (r *rig) mustNotHave(caller, contextID string) {
	r.t.Helper()
	if err := r.Claim(caller, contextID); !errors.Is(err, a2a.ErrInvalidParams) {
		r.t.Errorf("%q may have the context %s: %v", caller, contextID, err)
	}
	k, err := r.by(caller, contextID, "x")
	if err != nil {
		r.t.Fatal(err)
	}
	if got := r.end(k); got.Status.State != a2a.StateFailed || len(got.Artifacts) != 0 {
		r.t.Errorf("%q in the context %s: %s %+v", caller, contextID, got.Status.State, got.Artifacts)
	}
	if res, err := r.Call(r.t.Context(), driver.Call{Task: k, ID: "1", Tool: "x.y"}); err == nil {
		r.t.Errorf("a call of %q in the context %s: %q", caller, contextID, res.Output)
	}
}

func readState(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The agent's memory of a context is its caller's also when no task of it is
// kept any more, and after a restart; seen-threads stays as the platform has it.
func TestThreadsBelongToTheirCaller(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	const subject = "CN=al\nice \"x\",O=a b" // a certificate's may hold anything
	r := threaded(t, state)
	r.mustHave("alice", "one", "--new one")
	r.mustHave(subject, "two", "--new two")
	r.mustHave("", "open", "--new open")
	for range 2 {
		r.mustHave("alice", "one", "--resume=one")
		for _, other := range []string{"bob", "", subject} {
			r.mustNotHave(other, "one")
		}
		r.mustHave(subject, "two", "--resume=two")
		r.mustNotHave("alice", "two")
		r.mustHave("", "open", "--resume=open")
		r.mustNotHave("alice", "open") // nobody knows whose it is
		r.Close()
		r = threaded(t, state)
	}
	if seen := readState(t, state, "seen-threads"); seen != "one\ntwo\nopen\n" {
		t.Errorf("seen %q", seen)
	}
	if owners := readState(t, state, "thread-owners"); strings.Count(owners, "\n") != 2 {
		t.Errorf("owners %q", owners)
	}
	// An owner that is lost gives the thread to nobody, and a line that was cut
	// off spoils no other.
	if err := os.WriteFile(filepath.Join(state, "thread-owners"), []byte(`one "ali`), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Close()
	r = threaded(t, state)
	r.mustNotHave("alice", "one")
	r.mustHave("bob", "three", "--new three")
	r.Close()
	r = threaded(t, state)
	r.mustHave("bob", "three", "--resume=three")
	r.mustNotHave("alice", "three")
}

// A context that the agent never began is nobody's.
func TestThreadNeverBegunIsNobodys(t *testing.T) {
	t.Parallel()
	r := threaded(t, t.TempDir())
	k, err := r.by("alice", "bad", "x")
	if err != nil {
		t.Fatal(err)
	}
	want(t, r.end(k), a2a.StateFailed, "")
	if err := r.Claim("bob", "bad"); err != nil {
		t.Errorf("bob: %v", err)
	}
}
