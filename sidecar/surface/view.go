package surface

import (
	"context"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// View is what one viewer sees. It does not change; many goroutines may use it at once.
type View struct {
	surface *Surface
	viewer  Viewer
	*composition
}

// Snapshot returns the tools that a call can name: those that are granted and can be reached,
// listed or not. Whether the viewer may call one of them is decided when it does, by the rules of
// that moment; Rows says so beforehand. It never blocks.
func (v *View) Snapshot() *manifest.Snapshot { return v.composition.snapshot }

// Absent says why a tool that is not in the Snapshot cannot be called. ok is false if there is no
// such tool.
func (v *View) Absent(name string) (a Absence, ok bool) {
	if e := v.byName[name]; e != nil {
		return e.absent, e.absent.Reason != ""
	}
	for namespace := range namespacesOf(name) {
		if a, ok := v.spaces[namespace]; ok {
			return a, true
		}
	}
	return Absence{}, false
}

// Rows returns all tools, those that are absent included. The slice must not be changed.
func (v *View) Rows(ctx context.Context) []Row { return v.listing(ctx).rows }

// Listed returns the tools that the viewer is shown: those that it may call and need not search
// for. The slice must not be changed.
func (v *View) Listed(ctx context.Context) []*manifest.Tool { return v.listing(ctx).listed }

// Deferred returns the tools that the viewer may call and has to search for. The slice must not be
// changed.
func (v *View) Deferred(ctx context.Context) []*manifest.Tool { return v.listing(ctx).deferred }

// Discoverable returns those tools of the Snapshot that are not listed but searched for, whether
// the viewer may call them or not. It is the same one for the same list.
func (v *View) Discoverable() *manifest.Snapshot { return v.composition.discoverable() }

// Callable returns those of some tools of the Snapshot that the viewer may call, in their order.
func (v *View) Callable(ctx context.Context, tools []*manifest.Tool) []*manifest.Tool {
	judge := v.surface.opts.Judge
	if judge == nil || len(tools) == 0 {
		return tools
	}
	var may []*manifest.Tool
	for i, a := range judge(ctx, v.viewer, tools) {
		if a.Reason == "" {
			may = append(may, tools[i])
		}
	}
	return may
}

// Revision returns "sha256:" and a digest of Rows and of the definitions in it: another one if
// what the viewer sees is different.
func (v *View) Revision(ctx context.Context) string { return v.listing(ctx).revision() }
