package line

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// TestBackpressure: a terminal waits while a turn has not taken its text, goes on when
// it has, when the turn is over and when the driver is closed, and never waits for
// nobody.
func TestBackpressure(t *testing.T) {
	flood := []byte(strings.Repeat(strings.Repeat("x", 100)+"\n", maxUnread/100+1))
	for name, release := range map[string]func(*lineBuffer){
		"look":   func(b *lineBuffer) { b.look() },
		"ignore": (*lineBuffer).ignore,
		"close":  (*lineBuffer).close,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				screen := term.New(term.Options{})
				b := newLineBuffer(screen.Lines())
				screen.Write(flood)
				b.wait() // nobody listens
				b.listen()
				b.wait()
				screen.Write(flood)
				passed := false
				go func() {
					b.wait()
					passed = true
				}()
				synctest.Wait()
				if passed {
					t.Fatal("the terminal did not wait")
				}
				release(b)
				synctest.Wait()
				if !passed {
					t.Error("the terminal still waits")
				}
			})
		})
	}
}
