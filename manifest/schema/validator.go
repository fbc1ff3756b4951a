package schema

import (
	"container/list"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// validatorsKept bounds how many compiled schemas are kept: each takes some 25 KiB,
// and 0.1 ms to make again.
const validatorsKept = 128

// validator is a schema, compiled once for each call that runs at the same time.
type validator struct {
	key    string
	schema json.RawMessage

	mu   sync.Mutex
	idle []*checker

	once     sync.Once
	defaults *jsontree.Node // see withDefaults
}

// Validators checks values against schemas. It keeps the compiled schemas that were
// used last. Many goroutines may use it at once.
type Validators struct {
	gate gate

	mu     sync.Mutex
	byKey  map[string]*list.Element
	recent list.List // of *validator, the last used one first
}

// NewValidators returns Validators that have compiled nothing yet.
func NewValidators() *Validators { return &Validators{gate: newGate()} }

// get returns the validator of a key, which may not be compiled yet.
func (v *Validators) get(key string, schema json.RawMessage) *validator {
	v.mu.Lock()
	defer v.mu.Unlock()
	if e, ok := v.byKey[key]; ok {
		v.recent.MoveToFront(e)
		return e.Value.(*validator)
	}
	if v.byKey == nil {
		v.byKey = map[string]*list.Element{}
	}
	if v.recent.Len() >= validatorsKept {
		last := v.recent.Back()
		delete(v.byKey, v.recent.Remove(last).(*validator).key)
	}
	made := &validator{key: key, schema: schema}
	v.byKey[key] = v.recent.PushFront(made)
	return made
}

// take returns a checker that is not in use.
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
		return nil, fmt.Errorf("the schema of %s: %w", v.key, faults)
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

// Validate reads the arguments of a call and checks them against a schema. key names
// the schema: its compiled form is kept under key, among those that were used last.
// Empty arguments are {}. What is read shares memory with args, which must not change
// any more. The error is *ArgumentsError, or says why the context ended.
// Only a few validations run at the same time; the others wait for them. Each ends
// within a second and with 32 MiB; arguments that need more are too complex.
func (v *Validators) Validate(ctx context.Context, key string, schema, args json.RawMessage) (*Arguments, error) {
	leave, err := v.gate.enter(ctx, len(args))
	if err != nil {
		return nil, err
	}
	defer leave()
	read, err := ReadArguments(args)
	if err != nil {
		return nil, err
	}
	if err := v.get(key, schema).validate(ctx, &read.Root); err != nil {
		return nil, err
	}
	return read, nil
}

// ValidateValue checks any value against a schema, as Validate checks arguments.
func (v *Validators) ValidateValue(ctx context.Context, key string, schema, value json.RawMessage) error {
	leave, err := v.gate.enter(ctx, len(value))
	if err != nil {
		return err
	}
	defer leave()
	src := text.Shared(value)
	root, faults := jsontree.Parse(src, maxValues)
	if root.Kind == 0 {
		return unreadable(src, faults)
	}
	return v.get(key, schema).validate(ctx, &root)
}
