package unseen_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The real end is the last change of the screen's text before the task was completed;
// what only moves the cursor is none, and what comes later belongs to nobody.
func TestMeasure(t *testing.T) {
	cast := filepath.Join(t.TempDir(), "a.cast")
	const session = `{"version":3,"term":{"cols":80,"rows":24},"timestamp":1}
[0.500, "o", "% "]
[1.500, "m", "turn 1 one"]
[0.000, "o", "ls\r\n"]
[1.000, "o", "a\r\n"]
[0.100, "o", "\u001b[3;1H\u001b[31m"]
[0.900, "o", "% "]
[1.000, "m", "turn 2 two"]
`
	if err := os.WriteFile(cast, []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Unix(1000, 0)
	after := func(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }
	one := &outcome{task: "one", first: after(1.9), sent: after(1.9), complete: after(3.5)} // its message took a while to get there
	two := &outcome{step: step{Takes: 1}, task: "two", first: after(5), sent: after(5), complete: after(6.25)}
	never := &outcome{task: "three", first: after(7)}
	recorded(t, cast).measure([]*outcome{one, two, never})
	if one.delay != 500*time.Millisecond || two.delay != 250*time.Millisecond || never.delay != 0 {
		t.Errorf("%v, %v, %v", one.delay, two.delay, never.delay)
	}
}
