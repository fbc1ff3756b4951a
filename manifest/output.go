package manifest

import (
	"encoding/json"
	"fmt"
)

// ValidateOutput checks a tool's result against the outputSchema that it
// declared; without one everything is good. The error is an *ArgumentsError
// with pointers into the result, or wraps ErrUnknownTool. The validator is
// compiled on first use and kept in the same bounded cache as Validate's.
func (s *Snapshot) ValidateOutput(name string, output json.RawMessage) error {
	tool, ok := s.Lookup(name)
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknownTool, quote(name))
	}
	if tool.OutputSchema == nil {
		return nil
	}
	sc := scanner{src: string(output)}
	root, ok := sc.document()
	if !ok {
		return unreadable(sc.src, sc.faults)
	}
	v := s.validators.get(name + " output") // no tool's name has a space
	v.once.Do(func() { v.compile(tool.OutputSchema) })
	if v.err != nil {
		return v.err
	}
	return v.validate(&root)
}
