package line

import (
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// TestRhythm: the silence that ends an answer grows with the agent's longest pause, within
// bounds, does not shrink within the turn, and forgets the pause by halves with each turn.
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
	for _, want := range []time.Duration{time.Minute, time.Minute} { // an hour, halved: it has an end
		r.begin(at)
		is(want, "")
	}
	for range 9 { // a minute and less
		r.begin(at)
	}
	is(5273437500*time.Nanosecond, "")
	r.begin(at)
	is(5*time.Second, "")
	r = rhythm{first: 5 * time.Second, most: time.Minute, times: 3}
	r.begin(at)
	r.begin(at.Add(time.Hour)) // the time between two turns is no pause
	r.printed(at.Add(time.Hour + time.Second))
	is(5*time.Second, "$ ")
	is(10*time.Second, "Name? ")
	is(10*time.Second, "Enter a value:")
	r.first = 2 * time.Minute // what a person has set is not cut
	is(2*time.Minute, "")
}

// TestRhythmOfAProfile: the silence grows as the timing of the profile says; by default to
// three times the longest pause, and to a minute at most.
func TestRhythmOfAProfile(t *testing.T) {
	given := profile.DefaultTiming()
	given.QuietTimes, given.QuietMost = 4, 30*time.Second
	for _, tt := range []struct {
		name        string
		timing      profile.Timing
		pause, want time.Duration
	}{
		{"default", profile.DefaultTiming(), time.Second, 5 * time.Second},
		{"default", profile.DefaultTiming(), 4 * time.Second, 12 * time.Second},
		{"default", profile.DefaultTiming(), 40 * time.Second, time.Minute},
		{"given", given, 4 * time.Second, 16 * time.Second},
		{"given", given, 40 * time.Second, 30 * time.Second},
	} {
		r := newRhythm(5*time.Second, tt.timing)
		r.begin(time.Unix(0, 0))
		r.printed(time.Unix(0, 0).Add(tt.pause))
		if got := r.quiet(""); got != tt.want {
			t.Errorf("%s: after a pause of %v a silence of %v ends an answer, want %v", tt.name, tt.pause, got, tt.want)
		}
	}
}
