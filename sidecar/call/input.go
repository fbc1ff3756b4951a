package call

import (
	"context"
	"errors"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// input is what a call's arguments become, beside the arguments as they were written
// (Invocation.args), which are what updates show and what rules, the watchdog and
// approvers see in addition to uses. All of it is made from one value that is read once:
// what is judged is what is executed.
type input struct {
	// final are the arguments that are executed, on one line: those that were written,
	// with the defaults of the schema for what they leave out.
	final string
	argv  []string // of an exec tool: the command with its placeholders filled in
	url   string   // of an http tool, likewise
	text  string   // of a prompt tool, likewise
	// uses are what the call uses with its final arguments, held against set.
	uses  []policy.Use
	scope *capability.Scope
	set   *capability.Set
	// outputs are those of earlier calls that a tool of our own reads; uses does not have them.
	outputs []keptOutput
	// named are the paths of the files that the text of an argument names, by these names.
	named map[string]string
	dir   string // where command lines of the arguments run, resolved; "": there are none, or it is not known
	// skills are the files of skills, likewise.
	skills []keptSkill
}

// read makes the input of a call. The error is of its arguments, or says why the context
// ended.
func (p *Pipeline) read(ctx context.Context, inv *Invocation) error {
	scope, err := p.scopeOf(inv)
	if err != nil {
		return err
	}
	inv.input, err = readInput(ctx, inv.snapshot, inv.tool, scope, inv.request.Arguments, inv.args)
	if err == nil {
		p.ownOutputs(inv, &inv.input)
		p.skillFiles(inv, &inv.input)
	}
	return err
}

// readInput makes the input of a call of one of a snapshot's tools; line is the arguments on
// one line.
func readInput(ctx context.Context, tools *manifest.Snapshot, t *manifest.Tool, scope *capability.Scope, arguments []byte, line string) (in input, err error) {
	written, err := tools.Validate(ctx, t.Name, arguments)
	if err != nil {
		return in, err
	}
	args, err := tools.Complete(ctx, t.Name, written)
	if err != nil {
		return in, err
	}
	if in.final = line; args != written {
		in.final = args.Text
	}
	if err := in.fill(t, args); err != nil {
		return in, err
	}
	in.scope, in.set = scope, scope.Effective(t)
	if len(t.Uses.ShellRun) > 0 {
		if in.dir, err = scope.Runs(t, args); err != nil {
			return in, err
		}
	}
	if in.uses, err = scope.Uses(t, in.set, args, in.argv); err != nil {
		return in, err
	}
	in.named = capability.Named(t, args, in.uses)
	return in, nil
}

// fill puts the arguments into the placeholders of the tool's bridge.
func (in *input) fill(t *manifest.Tool, args *schema.Arguments) (err error) {
	switch {
	case t.Handler != nil:
	case t.Bridge.Kind == manifest.BridgeExec:
		in.argv, err = t.Bridge.Exec.Argv(args)
	case t.Bridge.Kind == manifest.BridgeHTTP:
		in.url, err = t.Bridge.HTTP.Expand(args)
	case t.Bridge.Kind == manifest.BridgePrompt:
		in.text = t.PromptText(args)
	}
	return err
}

// scopeOf returns the directories of a call: those of the sidecar, and those that the
// client which waits for the call named in the message that began its task. What the
// agent names in a call of its own does not count.
func (p *Pipeline) scopeOf(inv *Invocation) (*capability.Scope, error) {
	waits := inv.asks()
	if waits == nil {
		return p.opts.Scope, nil
	}
	dirs, err := capability.ParseAdHoc(waits.Message().Metadata[capability.DirectoriesURI])
	if err != nil {
		return nil, errDirectories{err}
	}
	scope, err := p.opts.Scope.For(dirs)
	if err != nil {
		return nil, errDirectories{err}
	}
	return scope, nil
}

// errDirectories is the error of directories that a client named and that cannot be used.
type errDirectories struct{ error }

func (e errDirectories) Error() string {
	return "the message's metadata " + capability.DirectoriesURI + ": " + e.error.Error()
}

// capable refuses a call that uses what its tool does not require, before any rule is
// asked.
func (p *Pipeline) capable(inv *Invocation) *result {
	if inv.own != nil {
		return nil // the agent's own tools require nothing of us
	}
	refused := inv.input.check(inv.tool)
	if refused == nil {
		return nil
	}
	inv.rules = refused.Decision()
	return ended(Denied, "you may not call "+string(quote(inv.tool.Name))+": "+reason(inv.rules))
}

// check returns why the tool may not do what the call does, nil if it may.
func (in *input) check(t *manifest.Tool) *capability.Refused {
	refused, _ := errors.AsType[*capability.Refused](in.scope.Check(t, in.set, in.uses))
	return refused
}
