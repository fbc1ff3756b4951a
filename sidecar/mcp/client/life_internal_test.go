package client

import (
	"errors"
	"testing"
	"time"
)

func TestBackoffDoublesAndIsForgotten(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var l life
	l.enter(StateIdle, now)
	for n, want := range []time.Duration{250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000} {
		if !l.mayStart(now) {
			t.Fatalf("start %d: it may not start", n)
		}
		l.enter(StateStarting, now)
		l.failed(now, errors.New("broken"))
		if want *= time.Millisecond; l.retry.Sub(now) != want {
			t.Errorf("failure %d: waits %s, want %s", n, l.retry.Sub(now), want)
		}
		if l.mayStart(l.retry.Add(-1)) {
			t.Errorf("failure %d: it may start too early", n)
		}
		now = l.retry
	}
	l.started(now)
	now = now.Add(backoffHealthy - 1)
	if l.failed(now, nil); l.retry.Sub(now) != backoffLast {
		t.Errorf("after less than a minute of health it waits %s", l.retry.Sub(now))
	}
	now = l.retry
	l.started(now)
	now = now.Add(backoffHealthy)
	if l.failed(now, nil); l.retry.Sub(now) != backoffFirst {
		t.Errorf("after a minute of health it waits %s", l.retry.Sub(now))
	}
}
