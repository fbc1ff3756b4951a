package proc

import "testing"

// After the child has ended its number may become somebody else's.
func TestNumberOfAnEndedChild(t *testing.T) {
	f := newFinder(&Tree{pid: 50, reaped: true, platformTree: platformTree{born: 100, reapedAt: 200}})
	cases := map[string]struct {
		all  []process
		want bool
	}{
		"nobody left":                 {nil, false},
		"a member from before":        {[]process{{pid: 51, group: 50, start: 150}}, true},
		"one of the session":          {[]process{{pid: 51, session: 50, start: 150}}, true},
		"a zombie keeps it":           {[]process{{pid: 51, group: 50, start: 150, state: 'Z'}}, true},
		"a new process of the number": {[]process{{pid: 50, group: 50, start: 300}, {pid: 51, group: 50, start: 150}}, false},
		"only later members":          {[]process{{pid: 60, group: 50, start: 300}}, false},
		"one older than the child":    {[]process{{pid: 40, group: 50, start: 50}}, false},
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
