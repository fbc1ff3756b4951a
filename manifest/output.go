package manifest

import (
	"context"
	"encoding/json"
	"fmt"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// ValidateOutput checks a tool's result against the outputSchema that it
// declared; without one everything is good. The error is an *ArgumentsError
// with pointers into the result, or wraps ErrUnknownTool. The validator is
// compiled on first use and kept in the same bounded cache as Validate's. It has
// the same limits.
func (s *Snapshot) ValidateOutput(ctx context.Context, name string, output json.RawMessage) error {
	tool, ok := s.Lookup(name)
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknownTool, quote(name))
	}
	if tool.OutputSchema == nil {
		return nil
	}
	leave, err := s.gate.enter(ctx, len(output))
	if err != nil {
		return err
	}
	defer leave()
	src := string(output)
	root, faults := jsontree.Parse(src, maxValues)
	if root.Kind == 0 {
		return unreadable(src, faults)
	}
	v := s.validators.get(name+" output", tool.OutputSchema) // no tool's name has a space
	return v.validate(ctx, &root)
}
