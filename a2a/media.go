package a2a

import (
	"mime"
	"slices"
	"strings"
)

// Inputs are the media types that the agent takes: InputModes, or what an empty list
// means.
func (c *Card) Inputs() []string { return modes(c.InputModes) }

// Outputs are the media types that the agent gives: OutputModes, or what an empty
// list means.
func (c *Card) Outputs() []string { return modes(c.OutputModes) }

// modes are the media types of a card that names none.
func modes(named []string) []string {
	if len(named) == 0 {
		return []string{"text/plain", "application/json"}
	}
	return named
}

// Accepts reports whether the card lists a media type, for the agent or for one of its
// skills, by itself or in a range. Its parameters say nothing of whether it is
// supported.
func (c *Card) Accepts(mediaType string) bool {
	t, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return false
	}
	listed := func(r string) bool { return inMediaRange(t, r) }
	return slices.ContainsFunc(c.Inputs(), listed) ||
		slices.ContainsFunc(c.Skills, func(s Skill) bool { return slices.ContainsFunc(s.InputModes, listed) })
}

// inMediaRange reports whether t, in lower case, is r or in r (RFC 9110 §12.5.1).
func inMediaRange(t, r string) bool {
	r, _, _ = strings.Cut(strings.ToLower(r), ";")
	r = strings.TrimSpace(r)
	kind, all := strings.CutSuffix(r, "/*")
	return t == r || r == "*/*" || all && strings.HasPrefix(t, kind+"/")
}
