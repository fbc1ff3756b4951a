package turn

import (
	"maps"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
)

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
