package tree

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// After the child has ended its number may become somebody else's.
func TestNumberOfAnEndedChild(t *testing.T) {
	f := newFinder(&Tree{pid: 50, reaped: true, platformTree: platformTree{born: 100, reapedAt: 200}})
	cases := map[string]struct {
		all  []procfs.Process
		want bool
	}{
		"nobody left":                 {nil, false},
		"a member from before":        {[]procfs.Process{{PID: 51, Group: 50, Start: 150}}, true},
		"one of the session":          {[]procfs.Process{{PID: 51, Session: 50, Start: 150}}, true},
		"a zombie keeps it":           {[]procfs.Process{{PID: 51, Group: 50, Start: 150, State: 'Z'}}, true},
		"a new process of the number": {[]procfs.Process{{PID: 50, Group: 50, Start: 300}, {PID: 51, Group: 50, Start: 150}}, false},
		"only later members":          {[]procfs.Process{{PID: 60, Group: 50, Start: 300}}, false},
		"one older than the child":    {[]procfs.Process{{PID: 40, Group: 50, Start: 50}}, false},
	}
	for name, c := range cases {
		if got := f.numberIsOurs(c.all); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	f.t.reaped = false
	if !f.numberIsOurs(nil) {
		t.Error("a number that was not given up")
	}
}

// One look that found nobody is not believed, nor are two with a fork between them.
func TestEmptinessTakesSeveralLooks(t *testing.T) {
	var e emptiness
	for look, want := range []bool{false, false, true} {
		e.forks = "before" // somebody forked since
		if got := e.believed(); got != want {
			t.Errorf("look %d: %v", look+1, got)
		}
	}
}
