package sidecar

import (
	"context"
	"fmt"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// toolSessions is how many conversations keep what their calls share (a list of what is to be done, the
// files that were read); the one that was not used for the longest time goes first.
const toolSessions = 1000

// openTools makes the tools that the sidecar brings.
func (s *sidecar) openTools(context.Context) (err error) {
	s.core, err = tool.NewSet(s.Config.Tools, s.Config.FetchHosts...)
	s.toolSessions = tool.NewSessions(toolSessions)
	return err
}

// coreSetup implements call.Options.CoreSetup.
func (s *sidecar) coreSetup(t *manifest.Tool) string {
	return searchSetup(t, s.Config.SearchProviders, s.image())
}

// searchSetup returns why web_search cannot search, "" if it can or t is another tool: all of its providers
// must be tools of the image's that need no agent.
func searchSetup(t *manifest.Tool, providers []string, image *manifest.Snapshot) string {
	if t.Name != tool.Prefix+tool.WebSearchID {
		return ""
	}
	if len(providers) == 0 {
		return "nothing searches: --search-provider names an http or exec tool of the manifest that does"
	}
	for _, name := range providers {
		switch p, ok := image.Lookup(name); {
		case !ok:
			return fmt.Sprintf("--search-provider names %q, and the manifest has no such tool", name)
		case p.Handler == nil && p.Bridge.Kind != manifest.BridgeHTTP && p.Bridge.Kind != manifest.BridgeExec:
			return fmt.Sprintf("--search-provider names %q, which is no http or exec tool", name)
		}
	}
	return ""
}
