package call

import (
	"context"
	"errors"

	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// validate checks that the arguments are one JSON object without duplicate keys, and
// that they satisfy the tool's schema and the bridge's own rules. It makes the call's
// input of them, before anybody is asked to approve a call that cannot run. A
// fault is a tool error with JSON pointers, never an error of the protocol.
func (p *Pipeline) validate(ctx context.Context, inv *Invocation) *result {
	ctx, cancel := p.unstarted(ctx)
	defer cancel()
	read := p.read
	if inv.own != nil {
		read = p.readOwn
	}
	err := read(ctx, inv)
	switch {
	case err != nil && ctx.Err() != nil:
		return notStarted(context.Cause(ctx))
	case err != nil:
		return invalid(err)
	}
	if inv.own == nil {
		inv.describe()
	}
	return nil
}

// invalid returns arguments errors as such, which the caller can correct, and any
// other error as a failure.
func invalid(err error) *result {
	if bad := (*schema.ArgumentsError)(nil); errors.As(err, &bad) {
		return ended(InvalidArguments, bad.Error())
	}
	if bad := (errDirectories{}); errors.As(err, &bad) {
		return ended(InvalidArguments, bad.Error())
	}
	return failed(err.Error())
}
