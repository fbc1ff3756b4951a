package config_test

import (
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// An agent that was given tools waits for the approval of a call, and then as long as it may
// run.
func TestToolTime(t *testing.T) {
	c := config.DefaultConfig()
	if got, want := c.ToolTime(), 10*time.Minute+time.Hour; got != want {
		t.Errorf("without a limit for calls it is %v, want %v", got, want)
	}
	c.AskTimeout, c.CallTimeout = time.Minute, 3*time.Hour
	if got, want := c.ToolTime(), 3*time.Hour+time.Minute; got != want {
		t.Errorf("with one it is %v, want %v", got, want)
	}
}
