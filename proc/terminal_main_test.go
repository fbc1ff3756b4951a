package proc_test

import (
	"os"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func runTerminalTests(m *testing.M) {
	if os.Args[0] == proc.GuardName {
		proc.KeepGuard()
		return
	}
	programs := guardPrograms()
	if programs == nil {
		programs = map[string]proctest.Program{}
	}
	programs["terminal"], programs["foreground"], programs["person"] = playTerminal, playForeground, playPerson
	proctest.Main(m, programs)
}
