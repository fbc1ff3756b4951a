package console

import (
	"context"
	"strconv"
)

// Type types text for a turn, and gives up when ctx ends. The recording has it before what
// it leads to, but for what is typed at a password prompt.
func (c *Console) Type(ctx context.Context, s string) (int, error) {
	if c.record != nil {
		mode, err := c.TTY.Mode() // before the program reads a secret and switches the echo on again
		c.record.Input([]byte(s), err == nil && (mode.Echo || !mode.Canonical))
	}
	return c.TTY.Type(ctx, s)
}

// CloseRecord ends the recording. It adds the exit code if the agent has ended.
func (c *Console) CloseRecord(exit *int) error {
	if c.record == nil {
		return nil
	}
	if exit != nil {
		c.record.Exit(*exit)
	}
	return c.record.Close()
}

// Mark records the beginning of a turn.
func (c *Console) Mark(n int, task string) {
	if c.record != nil {
		c.record.Marker("turn " + strconv.Itoa(n) + " " + task)
	}
}
