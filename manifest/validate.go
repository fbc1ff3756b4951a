package manifest

import (
	"container/list"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ErrUnknownTool is wrapped by Validate for a name that is not in the snapshot.
var ErrUnknownTool = errors.New("unknown tool")

// validatorsKept bounds the compiled schemas of a snapshot: they take some
// 25 KiB each and 0.1 ms to make again.
const validatorsKept = 128

// validator is a compiled schema. Who needs it first compiles it; others wait
// for that.
type validator struct {
	tool  string
	once  sync.Once
	sch   *jsonschema.Schema
	known []string // the properties of the root, for suggestions
	err   error
}

// validators keeps those that were used last.
type validators struct {
	mu     sync.Mutex
	byTool map[string]*list.Element
	recent list.List // of *validator, the last used first
}

// get returns the tool's validator, which may not be compiled yet.
func (v *validators) get(tool string) *validator {
	v.mu.Lock()
	defer v.mu.Unlock()
	if e, ok := v.byTool[tool]; ok {
		v.recent.MoveToFront(e)
		return e.Value.(*validator)
	}
	if v.byTool == nil {
		v.byTool = map[string]*list.Element{}
	}
	if v.recent.Len() >= validatorsKept {
		last := v.recent.Back()
		delete(v.byTool, v.recent.Remove(last).(*validator).tool)
	}
	made := &validator{tool: tool}
	v.byTool[tool] = v.recent.PushFront(made)
	return made
}

// compile makes the validator of a schema that was good when it was loaded.
func (v *validator) compile(schema json.RawMessage) {
	s := scanner{src: string(schema)}
	root, ok := s.document()
	if !ok {
		v.err = fmt.Errorf("manifest: schema of %s: %v", v.tool, s.faults)
		return
	}
	if v.sch, v.err = compile(root.value()); v.err == nil {
		v.known = slices.Sorted(maps.Keys(v.sch.Properties))
	}
}

// Validate checks the arguments of a call against the tool's schema. Empty
// arguments are {}. The error is *ArgumentsError, or wraps ErrUnknownTool.
func (s *Snapshot) Validate(name string, args json.RawMessage) error {
	tool, ok := s.Lookup(name)
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknownTool, quote(name))
	}
	root, err := readArguments(args)
	if err != nil {
		return err
	}
	v := s.validators.get(name)
	v.once.Do(func() { v.compile(tool.InputSchema) })
	if v.err != nil {
		return v.err
	}
	return v.validate(&root)
}

// validate turns what the library says, be it a panic, into an error.
func (v *validator) validate(args *node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = wholly("cannot be checked against the schema")
		}
	}()
	err = v.sch.Validate(args.value())
	if found, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return &ArgumentsError{Faults: flatten(found, args, v.known)}
	}
	if err != nil {
		return wholly("cannot be checked against the schema")
	}
	return nil
}
