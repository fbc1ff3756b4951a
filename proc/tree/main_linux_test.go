package tree_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/peer/peertest"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func TestMain(m *testing.M) {
	proctest.Main(m, map[string]proctest.Program{
		"hidden": peertest.Play, "chain": playChain, "closes": playCloses, "blind": playBlind, "otheruser": playOtherUser,
	})
}
