package sidecar

import (
	"context"
	"errors"
	"fmt"
)

// step is one thing that has to be there before the next. Its close undoes
// it; nil when there is nothing to undo.
type step struct {
	name  string
	open  func(ctx context.Context) error
	close func(ctx context.Context) error
}

// steps are opened in order and closed in reverse.
type steps []step

// open runs every step. When one fails, those already open are closed and the
// error names the step that failed.
func (s steps) open(ctx context.Context) (steps, error) {
	for i, st := range s {
		if err := st.open(ctx); err != nil {
			return nil, errors.Join(&StepError{Step: st.name, Err: err}, s[:i].close(ctx))
		}
	}
	return s, nil
}

// close undoes every step, the last first, whatever fails on the way.
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

// StepError says which start step went wrong.
type StepError struct {
	Step string
	Err  error
}

func (e *StepError) Error() string { return e.Step + ": " + e.Err.Error() }

func (e *StepError) Unwrap() error { return e.Err }
