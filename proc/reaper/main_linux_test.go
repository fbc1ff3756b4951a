package reaper_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func TestMain(m *testing.M) {
	proctest.Main(m, map[string]proctest.Program{"reaper": playReaper})
}
