package sidecar

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/skill"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// workspaceSkills is where the workspace's skills are, before those of the agents.
const workspaceSkills = ".sidecar/skills"

// skills are the skills of one sidecar, and which of them bring tools to whom.
type skills struct {
	lib      *skill.Library
	sessions *tool.Sessions
	stop     context.CancelFunc
	done     sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	changed chan struct{}
	of      *skill.Set                 // what made is of
	made    map[string]*surface.Skills // by the names of the skills that are loaded
}

var _ call.Skills = (*skills)(nil)

// skillRoots returns where skills are, those with precedence first.
func skillRoots(c *config.Config) (roots []skill.Root) {
	for _, dir := range c.Skills {
		roots = append(roots, skill.Root{Path: absolute(dir), Shown: true})
	}
	work := absolute(c.Workspace)
	for _, dir := range append([]string{workspaceSkills}, agent.Skills()...) {
		roots = append(roots, skill.Root{Path: filepath.Join(work, dir), Base: work, Shown: c.WorkspaceSkills})
	}
	return roots
}

// openSkills reads the skills, if there is a tool that loads them, and follows them.
func (s *sidecar) openSkills(ctx context.Context) error {
	if !s.core.Has(tool.SkillID) {
		if len(s.Config.Skills) > 0 || s.Config.WorkspaceSkills {
			s.Log.Warn("skills are not read: no tool loads them; add --tools " + tool.SkillID + ", or --tools " + tool.Core)
		}
		return nil
	}
	k := &skills{sessions: s.toolSessions, changed: make(chan struct{})}
	k.lib = skill.Open(skill.Options{Roots: skillRoots(&s.Config), Log: s.Log, Manifest: func() manifest.Options {
		return manifest.Options{Reserved: slices.Concat(s.Config.ReservedNamespace, s.reserved()), Program: config.ProgramFinder(s.Config.Workspace, s.Environ)}
	}})
	k.sessions.Changed = k.tell
	ctx, k.stop = context.WithCancel(context.WithoutCancel(ctx))
	k.done.Go(func() { k.lib.Run(ctx) })
	s.skills = k
	return nil
}

func (s *sidecar) closeSkills(context.Context) error {
	if s.skills != nil {
		s.skills.stop()
		s.skills.done.Wait()
	}
	return nil
}

// set returns the skills as they are now; nil: there are none.
func (k *skills) set() *skill.Set {
	if k == nil {
		return nil
	}
	return k.lib.Current()
}

// tell tells that a conversation may have other tools.
func (k *skills) tell() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.changed)
	k.changed = make(chan struct{})
}

// loads returns a channel that is closed when some conversation may next have other tools.
func (k *skills) loads() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.changed
}

// Load implements tool.Skills.
func (k *skills) Load(name string) *tool.Skill {
	one := k.set().Lookup(name)
	if one == nil {
		return nil
	}
	t := &tool.Skill{Name: one.Name, Body: one.Body, Dir: one.Dir}
	t.Files, t.More = one.Files()
	for _, brought := range one.Tools {
		t.Tools = append(t.Tools, brought.Name)
	}
	return t
}

// Find implements tool.Skills.
func (k *skills) Find(word string, limit int) []string { return k.set().Find(word, limit) }

// File implements call.Skills.
func (k *skills) File(path string) (f *os.File, err error) { return k.set().File(path) }

// madeKept is how many choices of skills are remembered. A choice that is made anew only costs the composition of its list.
const madeKept = 64

// tools returns what the skills bring that are loaded in the viewer's conversation, nil for nothing.
func (k *skills) tools(v surface.Viewer) *surface.Skills {
	if k == nil || v.Conversation() == "" {
		return nil
	}
	session := k.sessions.Find(v.Owner(), v.Conversation())
	if session == nil {
		return nil
	}
	set := k.set()
	var all []surface.Skill
	var names []string
	for _, name := range session.Skills() {
		if one := set.Lookup(name); one != nil && len(one.Tools) > 0 {
			all, names = append(all, surface.Skill{Name: name, Tools: one.Tools}), append(names, name)
		}
	}
	if len(all) == 0 {
		return nil
	}
	key := strings.Join(names, " ")
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of != set || len(k.made) >= madeKept {
		k.of, k.made = set, map[string]*surface.Skills{}
	}
	if k.made[key] == nil {
		k.made[key] = &surface.Skills{All: all}
	}
	return k.made[key]
}

// instructions returns what a model is told of the skills, "" for nothing.
func (k *skills) instructions(context.Context) string {
	list := k.set().List()
	if list == "" {
		return ""
	}
	return "Skills are instructions for kinds of tasks. Load one with the tool " + tool.SkillID + " before you begin such a task:\n" + list
}

// skillIDs is what stands before a skill's name in the ids of the card.
const skillIDs = "skill:"

// cardSkills returns at most so many of the shown skills as A2A skills.
func cardSkills(set *skill.Set, most int) (all []a2a.Skill) {
	shown := set.Shown()
	for _, one := range shown[:max(0, min(len(shown), most))] {
		all = append(all, a2a.Skill{ID: skillIDs + one.Name, Name: one.Name, Description: one.Description, Tags: []string{"skill"}})
	}
	return all
}
