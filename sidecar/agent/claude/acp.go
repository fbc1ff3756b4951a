package claude

import (
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// explain knows our tools by their names when claude is spoken to by an adapter.
func explain(_ json.RawMessage, a *peer.Action) {
	a.Ours = strings.HasPrefix(a.Name, ownTools)
}
