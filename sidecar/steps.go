package sidecar

import (
	"context"
	"errors"
	"fmt"
)

// step opens one part, which must be there before the next step. close undoes it; it
// is nil if there is nothing to undo.
type step struct {
	name  string
	open  func(ctx context.Context) error
	close func(ctx context.Context) error
}

// steps are opened in order and closed in reverse.
type steps []step

// open runs every step. If one fails, it closes those already open, and the error
// names the step that failed.
func (s steps) open(ctx context.Context) (steps, error) {
	for i, st := range s {
		if err := st.open(ctx); err != nil {
			return nil, errors.Join(&StepError{Step: st.name, Err: err}, s[:i].close(ctx))
		}
	}
	return s, nil
}

// close undoes every step, the last one first, even if some of them fail.
func (s steps) close(ctx context.Context) error {
	var all []error
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].close == nil {
			continue
		}
		if err := s[i].close(ctx); err != nil {
			all = append(all, fmt.Errorf("closing %s: %w", s[i].name, err))
		}
	}
	return errors.Join(all...)
}

// StepError names the start step that failed.
type StepError struct {
	Step string
	Err  error
}

func (e *StepError) Error() string { return e.Step + ": " + e.Err.Error() }

func (e *StepError) Unwrap() error { return e.Err }
