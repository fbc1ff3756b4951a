package sidecar

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// effectivePath is where callers learn which tools they have.
const effectivePath = "/a2a/tools/effective"

// following are the goroutines that follow the files of grants and preferences, and tell of
// changes.
type following struct {
	stop context.CancelFunc
	done sync.WaitGroup
}

// openGrants reads the files of grants and preferences: the manifest is checked against them.
func (s *sidecar) openGrants(context.Context) (err error) {
	o := surface.FileOptions{Trust: s.believe, Log: s.Log}
	if s.Config.Grants != "" {
		if s.grants, err = surface.OpenGrants(s.Config.Grants, o); err != nil {
			return err
		}
	}
	if s.Config.Surface != "" {
		s.preferences, err = surface.OpenPreferences(s.Config.Surface, o)
	}
	return err
}

// openSurface makes the surface, and follows what it is made of.
func (s *sidecar) openSurface(ctx context.Context) error {
	s.surface = surface.New(surface.Options{
		Image: func() surface.Image {
			return surface.Image{Snapshot: s.image(), Digest: s.Config.ImageDigest}
		},
		Core:        s.coreTools,
		Connectors:  s.connectors,
		Platform:    s.provided,
		Skills:      s.skills.tools,
		Grants:      s.granted,
		Preferences: s.preferred,
		Judge:       s.judgeTools,
		Rules:       func() any { return s.rules.Set() },
		Changes:     s.surfaceChanges(),
		Log:         s.Log,
	})
	f := &s.following
	ctx, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	if s.grants != nil {
		f.done.Go(func() { s.grants.Run(ctx) })
	}
	if s.preferences != nil {
		f.done.Go(func() { s.preferences.Run(ctx) })
	}
	if s.agents.file != nil {
		f.done.Go(func() { s.agents.file.Run(ctx) })
	}
	f.done.Go(func() { s.surface.Run(ctx) })
	return nil
}

func (s *sidecar) closeSurface(context.Context) error {
	s.following.stop()
	s.following.done.Wait()
	return nil
}

// surfaceChanges returns what tells of changes of the surface.
func (s *sidecar) surfaceChanges() []func() <-chan struct{} {
	all := []func() <-chan struct{}{s.source.Changed, s.rules.Changed}
	if s.grants != nil {
		all = append(all, s.grants.Changed)
	}
	if s.preferences != nil {
		all = append(all, s.preferences.Changed)
	}
	if s.agents.file != nil {
		all = append(all, s.agents.file.Changed)
	}
	if s.skills != nil {
		all = append(all, s.skills.lib.Changed, s.skills.loads)
	}
	if s.platform != nil {
		all = append(all, s.platform.Changed)
	}
	if s.agentServer != nil {
		all = append(all, s.agentServer.Changed)
	}
	if s.servers != nil {
		all = append(all, s.servers.Changed)
	}
	return all
}

// reloadSurface reads the files of grants, preferences and agents now.
func (s *sidecar) reloadSurface() {
	if s.grants != nil {
		s.grants.Reload()
	}
	if s.preferences != nil {
		s.preferences.Reload()
	}
	if s.agents.file != nil {
		s.agents.file.Reload()
	}
	if s.skills != nil {
		s.skills.lib.Reload()
	}
}

func (s *sidecar) granted() *surface.Grants {
	if s.grants == nil {
		return nil
	}
	return s.grants.Current()
}

func (s *sidecar) preferred() *surface.Preferences {
	if s.preferences == nil {
		return nil
	}
	return s.preferences.Current()
}

// connectors returns the connectors that bring tools of their own.
func (s *sidecar) connectors() *surface.Connectors { return s.servers.connectors() }

// reserved returns the namespaces that the image may not use.
func (s *sidecar) reserved() []string { return surface.Reserved(s.connectors(), s.granted()) }

// viewOf returns what the one who makes a request sees now.
func (s *sidecar) viewOf(r *call.Request) *surface.View {
	return s.surface.For(surface.Viewer{Caller: r.Caller, Agent: r.Agent, Task: r.Within, Context: r.ContextID})
}

// callable implements call.Options.Surface.
func (s *sidecar) callable(r *call.Request) *manifest.Snapshot { return s.viewOf(r).Snapshot() }

// absent implements call.Options.Absent.
func (s *sidecar) absent(r *call.Request, name string) (reason, text string) {
	v := s.viewOf(r)
	if _, there := v.Snapshot().Lookup(name); there {
		return surface.Setup, "it has come just now: call it again"
	}
	a, _ := v.Absent(name)
	return a.Reason, a.Text
}

// judgeTools implements surface.Options.Judge by the rules, what tools require, and the machine.
func (s *sidecar) judgeTools(ctx context.Context, v surface.Viewer, tools []*manifest.Tool) []surface.Absence {
	j := call.Judges{Scope: s.rules.scope, Policy: s.rules.Set(), Program: once(config.ProgramFinder(s.Config.Workspace, s.Environ)), CoreSetup: s.coreSetup}
	by := call.Visitor{Caller: v.Caller, Agent: v.Agent, Headless: s.Config.Headless}
	all := make([]surface.Absence, len(tools))
	for i, t := range tools {
		if ctx.Err() != nil {
			break // nobody waits for the rest
		}
		if why := s.busy(v, t); why != "" {
			all[i] = surface.Absence{Reason: surface.Task, Text: why}
			continue
		}
		reason, text := j.WhyAbsent(ctx, t, by)
		all[i] = surface.Absence{Reason: reason, Text: text}
	}
	return all
}

// busy returns why the agent cannot take a call of a tool of its own, "" if it can: it works on
// the viewer's task, and lives through many turns.
func (s *sidecar) busy(v surface.Viewer, t *manifest.Tool) string {
	own := t.Handler == nil && (t.Bridge.Kind == manifest.BridgeAgent || t.Bridge.Kind == manifest.BridgePrompt)
	if !own || !v.Agent || v.Task == nil || v.Task.IsCall() || s.runner.PerTurn() {
		return ""
	}
	return "it is the agent's own, and the agent cannot take a call that its turn waits for"
}

// once returns a program finder that looks for each program once.
func once(find func(program, cwd string) (reason, hint string)) func(program, cwd string) (reason, hint string) {
	type place struct{ program, cwd string }
	type found struct{ reason, hint string }
	known := map[place]found{}
	return func(program, cwd string) (reason, hint string) {
		f, ok := known[place{program, cwd}]
		if !ok {
			f.reason, f.hint = find(program, cwd)
			known[place{program, cwd}] = f
		}
		return f.reason, f.hint
	}
}

// serveEffective answers GET /a2a/tools/effective: the tools that the one who asks has, one row
// each, and with ?absent=true those that are absent, too. With ?context=ID they are those of a
// conversation of its own: with what the skills bring that are loaded in it.
func (s *sidecar) serveEffective(w http.ResponseWriter, r *http.Request, id server.Identity) error {
	absent, conversation := false, ""
	for key, values := range r.URL.Query() {
		switch {
		case key == "context" && len(values) == 1:
			conversation = values[0]
			continue
		case key != "absent":
			return a2a.ErrInvalidParams.With("%q is not known here; write absent=true, context=ID, or nothing", key).At(key)
		case len(values) != 1 || values[0] != "true" && values[0] != "false":
			return a2a.ErrInvalidParams.With("absent is true or false").At(key)
		}
		absent = values[0] == "true"
	}
	by := s.asker(r.Context(), id)
	if by.Within == nil && conversation != "" {
		if err := s.tasks.Claim(by.Caller, conversation); err != nil {
			return err
		}
		by.ContextID = conversation
	}
	s.handler.readyPlatform(r.Context(), &by)
	body, err := effectiveTools(s.viewOf(&by).Rows(r.Context()), absent)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "private, max-age=0, must-revalidate")
	h.Set("ETag", `"sha256:`+hex.EncodeToString(sum[:])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	return nil
}

// effectiveTools returns rows as JSON: those that can be called, or all.
func effectiveTools(rows []surface.Row, absent bool) ([]byte, error) {
	shown := make([]*surface.Row, 0, len(rows))
	for i := range rows {
		if r := &rows[i]; absent || r.Absent == nil || r.Absent.Reason == surface.Deferred {
			shown = append(shown, r)
		}
	}
	return json.Marshal(shown)
}
