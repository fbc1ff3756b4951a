package skill

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Set is the skills at one moment. It does not change; a nil Set is empty.
type Set struct {
	skills []*Skill // by name
	byName map[string]*Skill
	shown  []*Skill
	lost   []Lost
}

// Lost is a skill that another one of its name takes the place of.
type Lost struct {
	File   string // its SKILL.md
	Winner string // that of the one that counts
}

func (l Lost) String() string {
	return fmt.Sprintf("%s: another skill of this name has precedence: %s", l.File, l.Winner)
}

// newSet makes a set of the skills in the order of their roots.
func newSet(all []*Skill) *Set {
	s := &Set{byName: make(map[string]*Skill, len(all))}
	for _, one := range all {
		if other := s.byName[one.Name]; other != nil {
			s.lost = append(s.lost, Lost{File: one.file(), Winner: other.file()})
			continue
		}
		s.byName[one.Name] = one
		s.skills = append(s.skills, one)
	}
	slices.SortFunc(s.skills, func(a, b *Skill) int { return strings.Compare(a.Name, b.Name) })
	for _, one := range s.skills {
		if one.Shown() {
			s.shown = append(s.shown, one)
		}
	}
	return s
}

// All returns the skills by their names. The slice must not be changed.
func (s *Set) All() []*Skill {
	if s == nil {
		return nil
	}
	return s.skills
}

// Shown returns the skills that models and callers are told of, by their names. The slice must not be changed.
func (s *Set) Shown() []*Skill {
	if s == nil {
		return nil
	}
	return s.shown
}

// Lost returns the skills that do not count because another one has their name. The slice must not be changed.
func (s *Set) Lost() []Lost { return s.lost }

// Lookup returns the skill with a name, nil if there is none.
func (s *Set) Lookup(name string) *Skill {
	if s == nil {
		return nil
	}
	return s.byName[name]
}

// same reports whether two sets have the same skills, and say the same of the others.
func (s *Set) same(other *Set) bool {
	return s != nil && slices.Equal(s.skills, other.skills) && slices.Equal(s.lost, other.lost)
}

// Find returns at most limit names of shown skills that a word may mean, the best first: the one that is written almost
// like it, those whose names have it, and those whose descriptions do.
func (s *Set) Find(word string, limit int) []string {
	type hit struct {
		name string
		rank int
	}
	word = strings.ToLower(strings.TrimSpace(word))
	names := make([]string, 0, len(s.Shown()))
	for _, one := range s.Shown() {
		names = append(names, one.Name)
	}
	near := jsontree.Nearest(word, names)
	var hits []hit
	for _, one := range s.Shown() {
		switch {
		case one.Name == near:
			hits = append(hits, hit{one.Name, 0})
		case word == "":
		case strings.Contains(one.Name, word):
			hits = append(hits, hit{one.Name, 1})
		case strings.Contains(strings.ToLower(one.Description), word):
			hits = append(hits, hit{one.Name, 2})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.rank, b.rank) })
	found := make([]string, 0, min(len(hits), limit))
	for _, h := range hits[:min(len(hits), limit)] {
		found = append(found, h.name)
	}
	return found
}
