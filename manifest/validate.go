package manifest

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"sync"
)

// ErrUnknownTool is wrapped by Validate for a name that is not in the snapshot.
var ErrUnknownTool = errors.New("unknown tool")

// validatorsKept bounds the compiled schemas of a snapshot: they take some
// 25 KiB each and 0.1 ms to make again.
const validatorsKept = 128

// validator is a tool's schema, compiled for as many calls as there are at once.
type validator struct {
	tool   string
	schema json.RawMessage

	mu   sync.Mutex
	idle []*checker
}

// validators keeps those that were used last.
type validators struct {
	mu     sync.Mutex
	byTool map[string]*list.Element
	recent list.List // of *validator, the last used first
}

// get returns the tool's validator, which may not be compiled yet.
func (v *validators) get(tool string, schema json.RawMessage) *validator {
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
	made := &validator{tool: tool, schema: schema}
	v.byTool[tool] = v.recent.PushFront(made)
	return made
}

// take returns a checker that nobody uses.
func (v *validator) take() (*checker, error) {
	v.mu.Lock()
	if n := len(v.idle); n > 0 {
		c := v.idle[n-1]
		v.idle = v.idle[:n-1]
		v.mu.Unlock()
		return c, nil
	}
	v.mu.Unlock()
	root, faults := jsontree.Parse(string(v.schema), 0)
	if root.Kind == 0 {
		return nil, fmt.Errorf("manifest: schema of %s: %w", v.tool, faults)
	}
	return newChecker(root.Value())
}

func (v *validator) give(c *checker) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.idle = append(v.idle, c)
}

func (v *validator) validate(ctx context.Context, args *jsontree.Node) error {
	c, err := v.take()
	if err != nil {
		return err
	}
	defer v.give(c)
	return c.check(ctx, args)
}

// Validate reads the arguments of a call and checks them against the tool's schema.
// Empty arguments are {}. The error is *ArgumentsError, or wraps ErrUnknownTool, or is
// why the context ended. Few run at the same time, others wait for them; each
// ends within a second and with 32 MiB, and its arguments are then too complex.
func (s *Snapshot) Validate(ctx context.Context, name string, args json.RawMessage) (*Arguments, error) {
	tool, ok := s.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownTool, quote(name))
	}
	leave, err := s.gate.enter(ctx, len(args))
	if err != nil {
		return nil, err
	}
	defer leave()
	read, err := ReadArguments(args)
	if err != nil {
		return nil, err
	}
	if err := s.validators.get(name, tool.InputSchema).validate(ctx, &read.root); err != nil {
		return nil, err
	}
	return read, nil
}
