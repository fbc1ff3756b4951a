package a2a

import (
	"fmt"
	"mime"
	"slices"
	"strings"
)

// checkMedia refuses a part whose media type the card does not list, for the agent
// or for one of its skills (§3.1.1). What names no type is taken.
func checkMedia(parts []Part, c *Card) error {
	for i := range parts {
		if t := parts[i].MediaType; t != "" && !c.takes(t) {
			return ErrContentType.With("message.parts[%d]: media type %.100q is not supported, only %s",
				i, t, strings.Join(modes(c.InputModes), ", ")).At(fmt.Sprintf("message.parts[%d].mediaType", i))
		}
	}
	return nil
}

// takes reports whether the card lists a media type, by itself or in a range. Its
// parameters say nothing of whether it is supported.
func (c *Card) takes(mediaType string) bool {
	t, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return false
	}
	listed := func(r string) bool { return inMediaRange(t, r) }
	return slices.ContainsFunc(modes(c.InputModes), listed) ||
		slices.ContainsFunc(c.Skills, func(s Skill) bool { return slices.ContainsFunc(s.InputModes, listed) })
}

// inMediaRange reports whether t, in lower case, is r or in r (RFC 9110 §12.5.1).
func inMediaRange(t, r string) bool {
	r, _, _ = strings.Cut(strings.ToLower(r), ";")
	r = strings.TrimSpace(r)
	kind, all := strings.CutSuffix(r, "/*")
	return t == r || r == "*/*" || all && strings.HasPrefix(t, kind+"/")
}
