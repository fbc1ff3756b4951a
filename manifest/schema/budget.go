package schema

import (
	"context"
	"errors"
)

// What one validation may take. A schema and a value together can make the library
// look at far more than the length of both: each of these limits ends that.
const (
	maxValues   = 50_000    // in the arguments; each takes some 200 bytes
	maxWork     = 1_000_000 // comparisons, a third of a second
	maxErrors   = 8 << 20   // bytes of errors
	fewVisits   = 50_000    // of a schema to a value, if only the verdict is asked for
	valueVisits = 2         // additional visits for each value
	workTick    = 1_000     // between two looks at the context

	validationsAtOnce = 2
	largeArguments    = 16 << 10 // bytes
)

// errTooComplex ends a validation whose budget is spent.
var errTooComplex = errors.New("too complex")

// overrun is the panic value that ends the library's work; it never leaves
// checker.run.
type overrun struct{ why error }

// budget is what one validation may still take.
type budget struct {
	ctx    context.Context
	visits int // visits of a schema to a value: each may leave an error behind
	work   int
	tick   int
}

// spend takes from the budget. It panics if the budget is spent or the context has
// ended.
func (b *budget) spend(visits, work int) {
	b.visits -= visits
	b.work -= work
	if b.visits < 0 || b.work < 0 {
		panic(overrun{errTooComplex})
	}
	if b.tick -= work; b.tick < 0 {
		b.tick = workTick
		if b.ctx.Err() != nil {
			panic(overrun{context.Cause(b.ctx)})
		}
	}
}

// gate lets only a few validations run at the same time, which bounds the memory that
// they take together. Only one of them may have large arguments.
type gate struct{ all, large chan struct{} }

func newGate() gate {
	return gate{all: make(chan struct{}, validationsAtOnce), large: make(chan struct{}, 1)}
}

// enter waits for a place, for arguments of that many bytes; the error says why the
// context ended first.
func (g gate) enter(ctx context.Context, size int) (leave func(), err error) {
	if size <= largeArguments {
		if err := take(ctx, g.all); err != nil {
			return nil, err
		}
		return func() { <-g.all }, nil
	}
	if err := take(ctx, g.large); err != nil {
		return nil, err
	}
	if err := take(ctx, g.all); err != nil {
		<-g.large
		return nil, err
	}
	return func() { <-g.all; <-g.large }, nil
}

func take(ctx context.Context, places chan struct{}) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
