package turn

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// empty reports whether the parts say nothing: there are none, or they hold only
// white space.
func empty(parts []a2a.Part) bool {
	for _, p := range parts {
		switch p.Kind {
		case a2a.PartText:
			if strings.TrimSpace(p.Text) != "" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// heard returns the message as the agent gets it, with the request's own metadata
// and extensions. Where both say something, the message's wins.
func heard(m *a2a.Message, q Request) *a2a.Message {
	c := *m
	if len(q.Metadata) > 0 {
		c.Metadata = maps.Clone(q.Metadata)
		maps.Copy(c.Metadata, m.Metadata)
	}
	for _, uri := range q.Extensions {
		if !slices.Contains(c.Extensions, uri) {
			c.Extensions = append(slices.Clip(c.Extensions), uri)
		}
	}
	return &c
}
