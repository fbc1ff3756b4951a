package call

import (
	"context"
	"errors"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// validate checks that the arguments are one JSON object without duplicate keys, and
// that they satisfy the tool's schema and the bridge's own rules. It puts them into the
// bridge's placeholders, before anybody is asked to approve a call that cannot run. A
// fault is a tool error with JSON pointers, never an error of the protocol.
func (p *Pipeline) validate(ctx context.Context, inv *Invocation) *result {
	ctx, cancel := p.unstarted(ctx)
	defer cancel()
	args, err := inv.snapshot.Validate(ctx, inv.tool.Name, inv.request.Arguments)
	switch {
	case err != nil && ctx.Err() != nil:
		return notStarted(context.Cause(ctx))
	case err != nil:
		return invalid(err)
	case inv.tool.Handler != nil:
	case inv.tool.Bridge.Kind == manifest.BridgeExec:
		if inv.argv, err = inv.tool.Bridge.Exec.Argv(args); err != nil {
			return invalid(err)
		}
	case inv.tool.Bridge.Kind == manifest.BridgeHTTP:
		if inv.url, err = inv.tool.Bridge.HTTP.Expand(args); err != nil {
			return invalid(err)
		}
	case inv.tool.Bridge.Kind == manifest.BridgePrompt:
		inv.prompt = inv.tool.PromptText(args)
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
