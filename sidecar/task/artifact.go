package task

import (
	"maps"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// artifactStore keeps the artifacts of one task. It keeps at most limit bytes: the
// beginning of what was written.
type artifactStore struct {
	list    []*artifact
	byID    map[string]*artifact
	kept    int64
	limit   int64
	dropped int // how many artifacts are not kept at all
}

type artifact struct {
	head      a2a.Artifact // without the parts; metadata is replaced, never changed
	parts     []part
	kept      int64
	total     int64 // bytes of content that were written
	truncated bool
}

// part is a stored part. If it is a text part, its text is in the rope.
type part struct {
	a2a.Part
	text *rope
}

// has reports whether there is an artifact with this id, which an append can extend.
func (s *artifactStore) has(id string) bool { return s.byID[id] != nil }

// apply stores one frame of an update. cont means that the frame's first part
// continues the last stored part.
func (s *artifactStore) apply(u *a2a.ArtifactUpdate, cont bool) {
	a := s.byID[u.Artifact.ID]
	switch {
	case a == nil:
		if a = s.create(u.Artifact); a == nil {
			if !u.Append {
				s.dropped++
			}
			return
		}
	case !u.Append:
		s.kept -= a.kept
		*a = artifact{head: header(u.Artifact)}
		s.charge(a, headerCost(&a.head))
	default:
		s.charge(a, -headerCost(&a.head))
		a.merge(u.Artifact)
		s.charge(a, headerCost(&a.head))
	}
	for i, p := range u.Artifact.Parts {
		s.add(a, p, i == 0 && cont)
	}
}

// create adds an empty artifact. It returns nil if there is no room even for that.
func (s *artifactStore) create(from a2a.Artifact) *artifact {
	a := &artifact{head: header(from)}
	if s.kept+headerCost(&a.head) > s.limit {
		return nil
	}
	if s.byID == nil {
		s.byID = make(map[string]*artifact)
	}
	s.byID[from.ID] = a
	s.list = append(s.list, a)
	s.charge(a, headerCost(&a.head))
	return a
}

func (s *artifactStore) charge(a *artifact, n int64) {
	a.kept += n
	s.kept += n
}

// add stores a part, or as much of it as there is room for. Once a part was cut,
// nothing more of the artifact is stored, so that what is kept has no holes.
func (s *artifactStore) add(a *artifact, p a2a.Part, join bool) {
	a.total += contentBytes(&p)
	if a.truncated || p.Kind == a2a.PartText && p.Text == "" && len(p.Metadata) == 0 && len(a.parts) > 0 { // the mark of the end
		return
	}
	var into *rope
	frame := bareCost(&p)
	if join {
		if into = a.open(&p); into != nil {
			frame = 0
		}
	}
	p, whole := head(p, s.limit-s.kept-frame)
	a.truncated = !whole
	if p.Kind == 0 {
		return
	}
	s.charge(a, frame+contentBytes(&p))
	if into != nil {
		into.append(p.Text)
		return
	}
	a.parts = append(a.parts, store(p))
}

// store copies a text into a rope of its own.
func store(p a2a.Part) part {
	if p.Kind != a2a.PartText {
		return part{Part: p}
	}
	text := &rope{}
	text.append(p.Text)
	p.Text = ""
	return part{Part: p, text: text}
}

// open returns the text that p can be appended to, or nil if there is none.
func (a *artifact) open(p *a2a.Part) *rope {
	if len(a.parts) == 0 || p.Kind != a2a.PartText {
		return nil
	}
	last := &a.parts[len(a.parts)-1]
	if last.Kind != a2a.PartText || last.MediaType != p.MediaType || last.Filename != p.Filename ||
		len(last.Metadata) > 0 || len(p.Metadata) > 0 {
		return nil
	}
	return last.text
}

// head returns as much of p as fits in room bytes, and reports whether that is all
// of it. Data and URLs are returned whole or not at all; a part without a kind means
// that nothing fits.
func head(p a2a.Part, room int64) (a2a.Part, bool) {
	n := contentBytes(&p)
	switch {
	case n <= room:
		return p, true
	case p.Kind == a2a.PartText && room > 0:
		p.Text = text.Cut(p.Text, int(room))
	case p.Kind == a2a.PartRaw && room > 0:
		p.Raw = append([]byte(nil), p.Raw[:room]...)
	default:
		return a2a.Part{}, false
	}
	return p, false
}

// header returns a copy of the artifact without its parts.
func header(a a2a.Artifact) a2a.Artifact {
	a.Parts = nil
	a.Metadata = maps.Clone(a.Metadata)
	return a
}

// merge takes over the name, description, extensions and metadata that an append
// gives.
func (a *artifact) merge(from a2a.Artifact) {
	if from.Name != "" {
		a.head.Name = from.Name
	}
	if from.Description != "" {
		a.head.Description = from.Description
	}
	if len(from.Extensions) > 0 {
		a.head.Extensions = from.Extensions
	}
	if len(from.Metadata) > 0 {
		m := maps.Clone(a.head.Metadata)
		if m == nil {
			m = a2a.Metadata{}
		}
		maps.Copy(m, from.Metadata)
		a.head.Metadata = m
	}
}

// seal joins each text into one string. It is called when the task will never change
// again.
func (s *artifactStore) seal() []*artifact {
	sealed := make([]*artifact, len(s.list))
	for i, a := range s.list {
		c := *a
		c.parts = append([]part(nil), a.parts...)
		for j := range c.parts {
			if c.parts[j].text != nil {
				c.parts[j].text = &rope{whole: c.parts[j].text.String()}
			}
		}
		sealed[i] = &c
	}
	return sealed
}
