package proctest

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

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
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 1
	}
	said, saying, err := os.Pipe()
	if err != nil {
		return 1
	}
	attr := &os.ProcAttr{
		Env: os.Environ(), Files: []*os.File{null, os.Stdout, null},
		Sys: &syscall.SysProcAttr{Setsid: strings.Contains(how, "s")},
	}
	if strings.Contains(how, "c") {
		attr.Env = []string{ProgramVariable + "=1"}
		AwaitTag() // which is what is left to know it by
	}
	if args[1] == "stubborn" {
		attr.Env = append(attr.Env, ReadyVariable+"=3")
		attr.Files = append(attr.Files, saying)
	}
	if _, err := os.StartProcess(exe, append([]string{exe}, args[1:]...), attr); err != nil {
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
		return Stubborn()
	}
	select {}
}

// AwaitTag waits for the tag, which a host sets right after it has started a
// process: what is forked before that is without.
func AwaitTag() {
	for limit, end := (unix.Rlimit{}), time.Now().Add(10*time.Second); time.Now().Before(end); <-time.After(time.Millisecond) {
		if unix.Getrlimit(unix.RLIMIT_RTTIME, &limit) == nil && limit.Cur != unix.RLIM_INFINITY {
			return
		}
	}
}
