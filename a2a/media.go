package a2a

import (
	"mime"
	"slices"
	"strings"
)

// Inputs returns the media types that the agent accepts: InputModes, or the default types
// if that is empty.
func (c *Card) Inputs() []string { return modes(c.InputModes) }

// Outputs returns the media types that the agent produces: OutputModes, or the default
// types if that is empty.
func (c *Card) Outputs() []string { return modes(c.OutputModes) }

// modes returns named, or the default media types if it is empty.
func modes(named []string) []string {
	if len(named) == 0 {
		return []string{"text/plain", "application/json"}
	}
	return named
}

// Accepts reports whether the card lists a media type, exactly or in a range, for the agent
// or for one of its skills. The parameters of the type are ignored.
func (c *Card) Accepts(mediaType string) bool {
	t, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return false
	}
	listed := func(r string) bool { return inMediaRange(t, r) }
	return slices.ContainsFunc(c.Inputs(), listed) ||
		slices.ContainsFunc(c.Skills, func(s Skill) bool { return slices.ContainsFunc(s.InputModes, listed) })
}

// inMediaRange reports whether t, which is in lower case, equals r or is within the range r
// (RFC 9110 §12.5.1).
func inMediaRange(t, r string) bool {
	r, _, _ = strings.Cut(strings.ToLower(r), ";")
	r = strings.TrimSpace(r)
	kind, all := strings.CutSuffix(r, "/*")
	return t == r || r == "*/*" || all && strings.HasPrefix(t, kind+"/")
}
