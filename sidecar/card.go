package sidecar

import (
	"slices"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/skill"
)

// maxToolSkills bounds how many tools and skills become skills of the public card, because
// people read a card too. GET /a2a/tools and the extended card list all tools.
const maxToolSkills = 200

// cards makes the agent card and the tool list from the current snapshot and the current skills, once
// for both.
type cards struct {
	base   a2a.Card // without what the manifest and the card file add
	named  bool     // the operator set the name
	file   []byte   // the card file, nil for none; base accepts it
	accept []string // further media types
	source func() *manifest.Snapshot
	skills func() *skill.Set

	mu   sync.Mutex
	made *manifest.Snapshot // what card and doc are made from
	of   *skill.Set         // likewise
	card *a2a.Card
	doc  *a2a.Document
	more *a2a.Card // card with all tools; nil until somebody asks for it
}

func newCards(c *config.Config, version string, source func() *manifest.Snapshot, skills func() *skill.Set) (*cards, error) {
	base := cardTemplate(c, version)
	file, err := readCardFile(c, base)
	return &cards{base: base, named: c.Name != "", file: file, accept: c.Accept, source: source, skills: skills}, err
}

func (c *cards) current() *a2a.Card {
	card, _ := c.make()
	return card
}

func (c *cards) tools() *a2a.Document {
	_, doc := c.make()
	return doc
}

func (c *cards) make() (*a2a.Card, *a2a.Document) {
	snap, set := c.source(), c.skills()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made != snap || c.of != set || c.card == nil {
		c.made, c.of, c.more = snap, set, nil
		c.card = c.with(maxToolSkills)
		c.doc = &a2a.Document{Body: snap.Document(), ETag: `"` + snap.Revision() + `"`}
	}
	return c.card, c.doc
}

// extended returns the card with all tools, for callers who are known.
func (c *cards) extended() *a2a.Card {
	c.make()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.more == nil {
		c.more = c.with(len(c.made.Tools()) + len(c.of.Shown()))
	}
	return c.more
}

// authored returns the card with the parts that its authors wrote: first those of the
// tools in their order, then the operator's, who has the last word. Each part was
// checked when it was read; what exceeds the limits only in combination is left out.
func (c *cards) authored(tools []*manifest.Tool) a2a.Card {
	card := c.base
	for _, t := range tools {
		if t.Card != nil {
			_ = codec.OverlayCard(&card, t.Card)
		}
	}
	if c.named {
		card.Name = c.base.Name
	}
	if c.file != nil {
		_ = codec.OverlayCard(&card, c.file)
	}
	card.InputModes = withMissing(card.InputModes, c.accept)
	return card
}

// withMissing returns all, followed by those elements of more that it lacks.
func withMissing(all, more []string) []string {
	all = slices.Clone(all)
	for _, m := range more {
		if !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// with returns the card with at most so many of the tools and skills.
func (c *cards) with(most int) *a2a.Card {
	card := c.authored(c.made.Tools())
	tools := toolSkills(c.made, most)
	card.Skills = slices.Concat(card.Skills, tools, cardSkills(c.of, most-len(tools)))
	return &card
}

// toolSkills returns the skills of the visible tools, one each and no more than most,
// so that a client that knows cards but not our tool list sees the tools too.
func toolSkills(snap *manifest.Snapshot, most int) []a2a.Skill {
	tools := snap.Tools()
	if len(tools) > most {
		tools = tools[:most]
	}
	skills := make([]a2a.Skill, 0, len(tools))
	for _, t := range tools {
		skills = append(skills, a2a.Skill{
			ID:          t.Name,
			Name:        t.Name,
			Description: t.Description,
			Tags:        []string{"tool"},
			InputModes:  []string{"application/json"},
			OutputModes: []string{"application/json"},
		})
	}
	return skills
}
