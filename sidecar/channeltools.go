package sidecar

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

var _ channel.Toolbox = channelDoor{}

// sees returns the tools that the owner's agent sees.
func (d channelDoor) sees(ctx context.Context, o channel.Owner) (*surface.View, error) {
	v, err := d.h.sees(context.WithValue(ctx, grantKey{}, o), "")
	if err != nil {
		return nil, channelFault(err)
	}
	return v, nil
}

// Tools implements channel.Toolbox.
func (d channelDoor) Tools(ctx context.Context, o channel.Owner) (channel.ToolList, error) {
	v, err := d.sees(ctx, o)
	if err != nil {
		return channel.ToolList{}, err
	}
	return channel.ToolList{
		Revision: v.Revision(ctx), Tools: definitions(v.Listed(ctx), v), Discoverable: len(v.Deferred(ctx)), Searches: d.h.tools.searches,
		Instructions: d.h.tools.told(ctx),
	}, nil
}

// SearchTools implements channel.Toolbox.
func (d channelDoor) SearchTools(ctx context.Context, o channel.Owner, query string, limit int) ([]channel.FoundTool, error) {
	v, err := d.sees(ctx, o)
	if err != nil {
		return nil, err
	}
	var all []channel.FoundTool
	for _, t := range d.h.findTools(ctx, v, query, limit) {
		all = append(all, channel.FoundTool(t))
	}
	return all, nil
}

// LoadTools implements channel.Toolbox.
func (d channelDoor) LoadTools(ctx context.Context, o channel.Owner, names []string) ([]channel.ToolDefinition, error) {
	v, err := d.sees(ctx, o)
	if err != nil {
		return nil, err
	}
	return definitions(load(ctx, v, names), v), nil
}

// ToolsChanged implements channel.Toolbox.
func (d channelDoor) ToolsChanged() <-chan struct{} { return d.h.tools.changed() }

// definitions returns tools of a view for the channel, the sidecar's own by the IDs that models know.
func definitions(tools []*manifest.Tool, v *surface.View) []channel.ToolDefinition {
	all := make([]channel.ToolDefinition, len(tools))
	for i, t := range tools {
		all[i] = channel.ToolDefinition{
			Name: tool.Shown(t.Name), Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
			Effects: string(t.Effects), Surface: shownTo(v, t),
		}
	}
	return all
}

// artifactsOf returns the artifacts of a call's task but those that its envelope is made of.
func artifactsOf(ctx context.Context, t *task.Task) ([]a2a.Artifact, error) {
	shown, err := t.Show(ctx, new(int), true)
	if err != nil {
		return nil, err
	}
	var all []a2a.Artifact
	for i := range shown.Artifacts {
		if a := &shown.Artifacts[i]; !call.OwnArtifact(a.ID) {
			all = append(all, *a)
		}
	}
	return all, nil
}
