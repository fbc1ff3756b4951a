package proc_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func platformPrograms() map[string]proctest.Program {
	return map[string]proctest.Program{
		"spawn": playSpawn, "reaper": playReaper, "dispositions": playDispositions,
		"otheruser": playOtherUser, "undumpable": playUndumpable,
		"hidden":    playHidden,
		"elsewhere": playElsewhere, "dial": playDial, "handon": playHandOn, "noproc": playWithoutProc,
		"chain": playChain, "closes": playCloses, "blind": playBlind,
	}
}

// playSpawn starts another program and passes its output on. Its first argument
// is a list of letters: s gives it a session, c clears its environment of all
// but what makes it a program, x exits at once, a stubborn one having said its
// number, and i ignores SIGTERM itself.
func playSpawn(args []string) int {
	how := args[0]
	exe, err := os.Executable()
	if err != nil {
		return 1
	}
	cmd := exec.Command(exe, args[1:]...)
	cmd.Stdout = os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: strings.Contains(how, "s")}
	if strings.Contains(how, "c") {
		cmd.Env = []string{proctest.ProgramVariable + "=1"}
		awaitTag() // which is what is left to know it by
	}
	said, saying, err := os.Pipe()
	if err != nil {
		return 1
	}
	if args[1] == "stubborn" {
		cmd.ExtraFiles = []*os.File{saying}
		cmd.Env = append(cmd.Environ(), proctest.ReadyVariable+"=3")
	}
	if err := cmd.Start(); err != nil {
		fmt.Println("error", err)
		return 1
	}
	saying.Close()
	if strings.Contains(how, "x") {
		_, _ = said.Read(make([]byte, 1)) // the end
		return 0
	}
	fmt.Println("leader", os.Getpid())
	if strings.Contains(how, "i") {
		return proctest.Stubborn()
	}
	select {}
}
