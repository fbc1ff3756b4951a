package line

import (
	"testing"
	"time"
)

// TestRhythm: the silence that ends an answer grows with the agent's longest pause, within
// bounds, and is not shorter again.
func TestRhythm(t *testing.T) {
	at := time.Unix(0, 0)
	r := rhythm{first: 5 * time.Second, most: time.Minute, times: 3}
	is := func(want time.Duration, row string) {
		t.Helper()
		if got := r.quiet(row); got != want {
			t.Errorf("%v after a pause of %v, want %v", got, r.longest, want)
		}
	}
	is(5*time.Second, "")
	r.begin(at)
	for _, step := range []struct{ pause, want time.Duration }{
		{time.Second, 5 * time.Second},
		{4 * time.Second, 12 * time.Second},
		{time.Second, 12 * time.Second},
		{0, 12 * time.Second},
		{time.Hour, time.Minute},
	} {
		at = at.Add(step.pause)
		r.printed(at)
		is(step.want, "")
	}
	r = rhythm{first: 5 * time.Second, most: time.Minute, times: 3}
	r.begin(at)
	r.begin(at.Add(time.Hour)) // the time between two turns is no pause
	r.printed(at.Add(time.Hour + time.Second))
	is(5*time.Second, "$ ")
	is(10*time.Second, "Name? ")
	is(10*time.Second, "Enter a value:")
	r.first = 2 * time.Minute // what somebody asked for is not cut
	is(2*time.Minute, "")
}
