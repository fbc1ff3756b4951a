package call

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/files"
)

// usesFiles reports whether a tool of our own gets files: it requires some, and nothing else. Its
// function then runs on a thread that can do nothing else.
func usesFiles(t *manifest.Tool) bool {
	r := t.Requires
	return r != nil && len(r.FSRead)+len(r.FSWrite) > 0 && len(r.NetHosts)+len(r.Shell) == 0
}

// withFiles returns what runs a tool with the files that were judged for its call, on a thread of its own.
func (p *Pipeline) withFiles(j files.Journal) func(context.Context, *Invocation, *tool.Tool, *tool.Call) gave {
	return func(ctx context.Context, inv *Invocation, t *tool.Tool, c *tool.Call) gave {
		o := p.judgedFiles(inv)
		o.Journal = j
		return p.runWithFiles(ctx, inv, t, c, o)
	}
}

func (p *Pipeline) runWithFiles(ctx context.Context, inv *Invocation, t *tool.Tool, c *tool.Call, o files.Options) (g gave) {
	o.Reads = append(o.Reads, p.above(inv, t, o.Roots, o.Reads)...)
	kept, err := p.openOutputs(inv.input.outputs)
	if err != nil {
		return gave{err: err}
	}
	defer func() {
		for _, f := range kept {
			_ = f.Close() // it was only read
		}
	}()
	if err := p.openSkills(inv.input.skills, kept); err != nil {
		return gave{err: err}
	}
	o.Kept = kept
	all, err := files.New(o)
	if err != nil {
		return gave{err: errors.New("its files cannot be used: " + err.Error())}
	}
	defer all.Close()
	inv.layers = all.Layers()
	err = all.Run(func(f tool.FS) {
		c.FS = f
		g = p.runTool(ctx, inv, t, c)
	})
	if err != nil {
		return gave{err: err}
	}
	return g
}

// judgedFiles returns what a call may use of the files of this machine.
func (p *Pipeline) judgedFiles(inv *Invocation) files.Options {
	in := &inv.input
	o := files.Options{
		Roots: in.scope.Below(), Dir: in.scope.RunsIn(inv.tool), Given: map[string]string{},
		Keeper: p.opts.Sandbox, User: p.opts.User,
	}
	args, _ := jsontree.Parse(in.final, 0) // it was read before
	given := func(pointer, path string) {
		if n := args.At(pointer); n != nil && n.Kind == jsontree.String {
			o.Given[n.Text] = path
		}
	}
	for _, u := range in.uses {
		paths := in.set.Read.Expanded
		judged := &o.Reads
		switch u.Capability {
		case policy.FSRead:
		case policy.FSWrite:
			paths, judged = in.set.Write.Expanded, &o.Writes
		default:
			continue
		}
		if !u.Declared {
			*judged = append(*judged, u.Value)
			if in.named == nil {
				given(u.Pointer, u.Value)
			}
			continue
		}
		for _, path := range paths {
			if path.String() == u.Value {
				*judged = append(*judged, path.Root)
			}
		}
	}
	for _, out := range in.outputs {
		given(out.pointer, out.path)
	}
	for _, one := range in.skills {
		given(one.pointer, one.path)
	}
	maps.Copy(o.Given, in.named)
	o.May = p.mayBeneath(inv, o.Reads, o.Writes)
	return o
}

// above returns the files that a tool also reads in the directories that a judged path is in: those that are there, below a root of the
// task, and that no rule denies or asks about.
func (p *Pipeline) above(inv *Invocation, t *tool.Tool, roots, reads []string) (found []string) {
	may := p.mayBeneath(inv, roots, nil)
	for _, at := range reads {
		for dir := at; len(t.Above) > 0 && !exists(filepath.Join(dir, t.Top)); {
			dir = filepath.Dir(dir)
			if !slices.ContainsFunc(roots, func(root string) bool { return below.Is(dir, root) }) {
				break
			}
			for _, name := range t.Above {
				file := filepath.Join(dir, name)
				if resolved, err := filepath.EvalSymlinks(file); err == nil && resolved == file && !slices.Contains(reads, file) && (may == nil || may(policy.FSRead, file)) {
					found = append(found, file)
				}
			}
		}
	}
	return found
}

// exists reports whether something is at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// keptOutput is the output of an earlier call that a call reads by its output_path.
type keptOutput struct{ pointer, path, id string }

// ownOutputs takes the outputs of earlier calls out of what a call reads: those of the same caller and
// conversation, which were given to it already. No rule has to speak of them.
func (p *Pipeline) ownOutputs(inv *Invocation, in *input) {
	if p.opts.Outputs == nil || inv.tool.Bridge.Kind != manifest.BridgeCore {
		return
	}
	in.uses = slices.DeleteFunc(in.uses, func(u policy.Use) bool {
		if u.Capability != policy.FSRead || u.Declared {
			return false
		}
		id, ok := below.Rest(u.Value, p.opts.Outputs.Dir())
		if !ok {
			return false
		}
		t, err := p.opts.Tasks.Get(inv.task.Owner(), id)
		if err != nil || t.ContextID() != inv.task.ContextID() {
			return false
		}
		in.outputs = append(in.outputs, keptOutput{u.Pointer, filepath.Join(p.opts.Outputs.Dir(), id), id})
		return true
	})
}

// openOutputs opens outputs of earlier calls, by their paths.
func (p *Pipeline) openOutputs(all []keptOutput) (map[string]*os.File, error) {
	opened := map[string]*os.File{}
	for _, out := range all {
		r, err := p.opts.Outputs.Open(out.id)
		if err != nil {
			for _, f := range opened {
				_ = f.Close() // it was only read
			}
			return nil, err
		}
		if opened[out.path] != nil {
			_ = r.Close() // it is there
			continue
		}
		opened[out.path] = r.File
	}
	return opened, nil
}
