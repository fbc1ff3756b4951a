package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// Std is the process that the commands run in.
type Std struct {
	In, Out, Err *os.File
	// Env is the environment, as os.Environ returns it.
	Env []string
	// Version is our own version, "" for a build that has none.
	Version string
}

// Getenv returns a variable, "" if it is unset.
func (s Std) Getenv(name string) string {
	for _, kv := range s.Env {
		if value, found := strings.CutPrefix(kv, name+"="); found {
			return value
		}
	}
	return ""
}

// Main runs the command that args name; as in os.Args, the program's own name comes
// first. It returns the exit code, and is the one place that prints an error.
func Main(args []string, std Std) int {
	if len(args) > 0 && args[0] == sandbox.ShimName { // first: a tool waits for it
		return sandbox.RunShim(args[1:])
	}
	if len(args) > 0 && args[0] == tty.GuardName {
		tty.RunGuard()
		return 0
	}
	line := args[min(1, len(args)):]
	root := newRoot(std, line)
	if len(line) > 0 && strings.HasPrefix(line[0], cobra.ShellCompRequestCmd) {
		completeFlags(std, root)
	}
	root.SetArgs(line)
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	if err := root.Execute(); err != nil {
		return report(std, err)
	}
	return 0
}

// report prints an error and returns its exit code.
func report(std Std, err error) int {
	e := asExit(err)
	if e.err == nil {
		return e.code
	}
	lines := strings.Split(strings.TrimRight(e.err.Error(), "\n"), "\n")
	if several(e.err) && len(lines) > 1 {
		lines = append([]string{fmt.Sprintf("%d things are wrong:", len(lines))}, firstFaults(lines, "and %s more", "")...)
	}
	fmt.Fprintf(std.Err, "sidecar: %s\n", printable(lines[0]))
	for _, line := range lines[1:] {
		fmt.Fprintf(std.Err, "  %s\n", printable(line))
	}
	if e.hint != "" {
		fmt.Fprintf(std.Err, "hint: %s\n", printable(e.hint))
	}
	return e.code
}

// shownFaults is the most faults that people are shown at once.
const shownFaults = 20

// firstFaults cuts a long list, and says in a last line how many more things there
// are; thing may be "".
func firstFaults(lines []string, more, thing string) []string {
	rest := len(lines) - shownFaults
	if rest <= 0 {
		return lines
	}
	number := strconv.Itoa(rest)
	if thing != "" {
		number = text.Count(rest, thing)
	}
	return append(lines[:shownFaults:shownFaults], fmt.Sprintf(more, number))
}

// several reports whether each line of an error is a fault of its own. Other errors
// may have several lines too, such as the output of a failing tool.
func several(err error) bool {
	var settings config.Faults
	var file jsontree.Faults
	return errors.As(err, &settings) || errors.As(err, &file)
}

// asExit gives any error an exit code: an unexpected error is our own fault.
func asExit(err error) *exitError {
	var e *exitError
	if errors.As(err, &e) {
		return e
	}
	return &exitError{code: exitFault, err: err}
}
