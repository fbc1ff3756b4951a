package peer_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/peer/peertest"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func TestMain(m *testing.M) {
	proctest.Main(m, map[string]proctest.Program{
		"hidden": peertest.Play, "elsewhere": playElsewhere, "dial": playDial, "handon": playHandOn, "noproc": playWithoutProc,
	})
}
