package proc_test

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func TestMain(m *testing.M) {
	proctest.Main(m, programs())
}

func programs() map[string]proctest.Program {
	all := map[string]proctest.Program{
		"raise":  playRaise,
		"say":    playSay,
		"cat":    playCat,
		"report": playReport,
	}
	for name, p := range platformPrograms() {
		all[name] = p
	}
	return all
}

func playRaise(args []string) int {
	n, _ := strconv.Atoi(args[0])
	signal.Reset(syscall.Signal(n))
	_ = syscall.Kill(os.Getpid(), syscall.Signal(n))
	return proctest.Block()
}

func playSay(args []string) int {
	fmt.Print(args[0])
	if len(args) > 1 {
		fmt.Fprint(os.Stderr, args[1])
	}
	return 0
}

func playCat([]string) int {
	if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
		return 1
	}
	return 0
}

// playReport says things about itself.
func playReport(args []string) int {
	for _, what := range args {
		switch what {
		case "env":
			fmt.Printf("env %q\n", os.Environ())
		case "ids":
			groups, _ := os.Getgroups()
			fmt.Printf("ids %d %d %v\n", os.Getuid(), os.Getgid(), groups)
		case "dir":
			dir, _ := os.Getwd()
			fmt.Println("dir", dir)
		case "group":
			fmt.Println("group", os.Getpid() == syscall.Getpgrp())
		case "ignored":
			fmt.Println("ignored", signal.Ignored(syscall.SIGINT), signal.Ignored(syscall.SIGHUP), signal.Ignored(syscall.SIGQUIT))
		}
	}
	return 0
}
