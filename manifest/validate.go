package manifest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// ErrUnknownTool is wrapped by Validate for a name that is not in the snapshot.
var ErrUnknownTool = errors.New("unknown tool")

// Validate reads the arguments of a call and checks them against the tool's schema.
// Empty arguments are {}. What is read shares memory with args, which must not change
// any more. The error is *ArgumentsError, or wraps ErrUnknownTool, or says why the
// context ended. Only a few validations run at the same time; the others wait for
// them. Each ends within a second and with 32 MiB; arguments that need more are too
// complex.
func (s *Snapshot) Validate(ctx context.Context, name string, args json.RawMessage) (*schema.Arguments, error) {
	tool, err := s.find(name)
	if err != nil {
		return nil, err
	}
	read, err := s.validators.Validate(ctx, name, tool.InputSchema, args)
	if bad := (*schema.ArgumentsError)(nil); tool.Instead != nil && errors.As(err, &bad) {
		bad.Hint(tool.Instead)
	}
	return read, err
}

// Complete returns the arguments of a call, as Validate returned them, with the defaults of
// the tool's schema for what is absent: args itself if nothing is (see
// schema.Validators.Complete). It has the same errors and limits as Validate.
func (s *Snapshot) Complete(ctx context.Context, name string, args *schema.Arguments) (*schema.Arguments, error) {
	tool, err := s.find(name)
	if err != nil {
		return nil, err
	}
	return s.validators.Complete(ctx, name, tool.InputSchema, args)
}

// ValidateOutput checks a tool's result against the outputSchema that it declared;
// without one every result is valid. The error is an *ArgumentsError with pointers
// into the result, or wraps ErrUnknownTool. It has the same limits as Validate.
func (s *Snapshot) ValidateOutput(ctx context.Context, name string, output json.RawMessage) error {
	tool, err := s.find(name)
	if err != nil || tool.OutputSchema == nil {
		return err
	}
	return s.validators.ValidateValue(ctx, name+" output", tool.OutputSchema, output) // no tool's name has a space
}

func (s *Snapshot) find(name string) (*Tool, error) {
	if tool, ok := s.Lookup(name); ok {
		return tool, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownTool, quote(name))
}
