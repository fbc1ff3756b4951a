package call

import (
	"bytes"
	"context"
	"errors"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// validate checks that the arguments are one JSON object without duplicate keys, and
// that they satisfy the tool's schema and the bridge's own rules. They are parsed
// here and nowhere else. A fault is a tool error with JSON pointers, never an error
// of the protocol.
func (p *Pipeline) validate(ctx context.Context, inv *Invocation) *result {
	ctx, cancel := p.unstarted(ctx)
	defer cancel()
	args, err := inv.snapshot.Validate(ctx, inv.tool.Name, inv.input.Model)
	if err != nil {
		if ctx.Err() != nil {
			return notStarted(context.Cause(ctx))
		}
		return invalid(err)
	}
	inv.input.Permission = bytes.Clone(inv.input.Final)
	return inv.expand(args)
}

// expand puts the arguments into the bridge's placeholders, before anybody is asked
// to approve a call that cannot run.
func (i *Invocation) expand(args *schema.Arguments) *result {
	switch {
	case i.tool.Handler != nil:
	case i.tool.Bridge.Kind == manifest.BridgeExec:
		argv, err := i.tool.Bridge.Exec.Argv(args)
		if err != nil {
			return invalid(err)
		}
		i.argv = argv
	case i.tool.Bridge.Kind == manifest.BridgePrompt:
		i.prompt = i.tool.PromptText(args)
	}
	return nil
}

// invalid returns arguments errors as such, which the caller can correct, and any
// other error as a failure.
func invalid(err error) *result {
	if bad := (*schema.ArgumentsError)(nil); errors.As(err, &bad) {
		return ended(InvalidArguments, bad.Error())
	}
	return failed(err.Error())
}
