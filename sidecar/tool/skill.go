package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// Skills are the skills that there are. Its methods may be called from many goroutines.
type Skills interface {
	// Load returns the skill with a name, as it is now, nil if there is none.
	Load(name string) *Skill
	// Find returns at most limit names of skills that a word may mean, the best first.
	Find(word string, limit int) []string
}

// Skill is one skill as a call gets it.
type Skill struct {
	Name string
	// Body is the text without its front matter.
	Body string
	// Dir is the skill's folder, an absolute path.
	Dir string
	// Files are the other files in it, relative to Dir, in their order.
	Files []string
	// More says that there are further files, which are not listed.
	More bool
	// Tools are the names of the tools that it brings while it is loaded.
	Tools []string
}

// The bounds of a skill's name and of the names that an error offers.
const (
	MaxSkillName = 64
	skillsFound  = 10
)

// SkillID is the ID of the tool that loads skills.
const SkillID = "skill"

// skill loads a skill.
func skill() *Tool {
	return define(manifest.Definition{
		Name: SkillID,
		Description: "Load a skill: instructions for one kind of task, written by people who know it. Load it before you begin such a task, and follow what it says. " +
			"The skills that you can load are listed in this server's instructions, one line each; if the name is no skill's, the error names those that are like it, so a word finds more. " +
			"The result is the skill's text, the path of its folder, and the files in it, which you can open with read.",
		InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":%d,"description":"the skill's name, as in pdf-forms"}},
			"required":["name"],"additionalProperties":false}`, MaxSkillName)),
		Effects: manifest.EffectsRead, Kind: "read", Requires: &manifest.Requires{},
	}, runSkill)
}

func runSkill(_ context.Context, c *Call) (*Result, error) {
	var args struct{ Name string }
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	if c.Skills == nil {
		return nil, fmt.Errorf("there are no skills here: go on without one")
	}
	s := c.Skills.Load(args.Name)
	if s == nil {
		return nil, noSkill(c.Skills, args.Name)
	}
	c.Session.LoadSkill(s.Name)
	_, err := c.Out.Write([]byte(s.text()))
	return nil, err
}

// noSkill says that there is no skill of a name, and which ones may be meant.
func noSkill(all Skills, name string) error {
	found := all.Find(name, skillsFound)
	quoted := text.Quote(name, MaxSkillName)
	switch len(found) {
	case 0:
		return fmt.Errorf("there is no skill %s, and none is like it: go on without one, or try another word", quoted)
	case 1:
		return fmt.Errorf("there is no skill %s; did you mean %q?", quoted, found[0])
	}
	return fmt.Errorf("there is no skill %s; these are like it: %s", quoted, strings.Join(found, ", "))
}

// text returns the skill as the model gets it: where it is comes first, so that a cut leaves it.
func (s *Skill) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Skill %s. Its folder is %s\n", s.Name, s.Dir)
	if len(s.Files) > 0 {
		b.WriteString("Files in it, relative to that folder:\n")
		for _, f := range s.Files {
			b.WriteString("- " + text.Show(f) + "\n")
		}
		if s.More {
			b.WriteString("- and more\n")
		}
	}
	if len(s.Tools) > 0 {
		b.WriteString("While it is loaded, you also have these tools: " + strings.Join(s.Tools, ", ") + "\n")
	}
	b.WriteString("\n" + s.Body)
	return b.String()
}

// maxLoaded is how many skills are loaded in one session: the one that was loaded first gives way.
const maxLoaded = 32

// LoadSkill notes that a skill is loaded: what it brings is there from now on.
func (s *Session) LoadSkill(name string) {
	if s.loadSkill(name) && s.changed != nil {
		s.changed()
	}
}

// loadSkill reports whether the skill was not loaded already.
func (s *Session) loadSkill(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.skills, name) {
		return false
	}
	s.skills = append(s.skills, name)
	s.skills = slices.Clone(s.skills[max(0, len(s.skills)-maxLoaded):])
	return true
}

// Skills returns the names of the skills that are loaded, in the order in which they were.
func (s *Session) Skills() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.skills)
}
