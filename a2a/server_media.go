package a2a

import (
	"fmt"
	"strings"
)

// checkMedia refuses a part whose media type the card does not list, for the agent
// or for one of its skills (§3.1.1). What names no type is taken.
func checkMedia(parts []Part, c *Card) error {
	for i := range parts {
		if t := parts[i].MediaType; t != "" && !c.Accepts(t) {
			return ErrContentType.With("message.parts[%d]: media type %.100q is not supported, only %s",
				i, t, strings.Join(c.Inputs(), ", ")).At(fmt.Sprintf("message.parts[%d].mediaType", i))
		}
	}
	return nil
}
