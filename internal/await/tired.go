package await

import (
	"context"
	"errors"
)

// ErrTired is the error of a Tired context that has ended.
var ErrTired = errors.New("it was looked at often enough")

// Tired is a context that ends after its Err was asked for After times: so a test ends work in its middle, whatever the machine's
// speed. One goroutine may use it.
type Tired struct {
	context.Context
	After int
	Looks int // how often it was asked so far
}

// Err implements context.Context.
func (c *Tired) Err() error {
	if c.Looks++; c.Looks > c.After {
		return ErrTired
	}
	return nil
}
