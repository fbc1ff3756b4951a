package tty_test

import (
	"os"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

func TestMain(m *testing.M) {
	if os.Args[0] == tty.GuardName {
		tty.RunGuard()
		return
	}
	programs := guardPrograms()
	if programs == nil {
		programs = map[string]proctest.Program{}
	}
	programs["terminal"], programs["foreground"], programs["person"] = playTerminal, playForeground, playPerson
	proctest.Main(m, programs)
}
