package server

import (
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// checkMedia refuses a part whose media type the card does not list, for the agent or for
// one of its skills (§3.1.1). A part without a media type is accepted.
func checkMedia(parts []a2a.Part, c *a2a.Card) error {
	for i := range parts {
		if t := parts[i].MediaType; t != "" && !c.Accepts(t) {
			return a2a.ErrContentType.With("message.parts[%d]: media type %.100q is not supported, only %s",
				i, t, strings.Join(c.Inputs(), ", ")).At(fmt.Sprintf("message.parts[%d].mediaType", i))
		}
	}
	return nil
}
