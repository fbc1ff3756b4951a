package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/replay"
)

const profileTestText = `Run the tests of profiles. Each test plays a recording, without the agent, and compares
the states at certain times and the answer to each message with what the profile's
"tests" expect. Each difference is printed with the screen. A profile or recording
that cannot be read does not keep the others from being tested.`

func newProfileTest(std Std) *cobra.Command {
	return &cobra.Command{
		Use:     "test FILE...",
		Short:   "Run the tests of profiles",
		Long:    profileTestText,
		Example: "sidecar profile test ./mine.json",
		Args:    between(1, 1000, "the FILE of a profile"),
		RunE: func(c *cobra.Command, args []string) error {
			t := profileTester{command: c.CommandPath(), out: std.Out}
			for _, name := range args {
				if err := t.test(name); err != nil {
					return err
				}
			}
			return t.result()
		},
		ValidArgsFunction: profiles,
	}
}

// profileTester runs the tests of profiles, and collects what has kept it from running them.
type profileTester struct {
	command string
	out     io.Writer
	failed  bool
	faults  []error
}

// test runs the tests of one profile. The error says that the output cannot be written.
func (t *profileTester) test(name string) error {
	p, err := agent.Load(name)
	if err != nil {
		t.faults = append(t.faults, profileError(t.command, err))
		return nil
	}
	if len(p.Tests) == 0 {
		t.faults = append(t.faults, noTests(name))
		return nil
	}
	for i, test := range p.Tests {
		found, err := replay.Check(p, filepath.Dir(name), test)
		if err != nil {
			t.faults = append(t.faults, &exitError{code: exitFault, err: fmt.Errorf("%s: test %d: %w", name, i+1, err),
				hint: `"recording" is relative to the folder of the profile`})
			continue
		}
		word := "ok  "
		if len(found) > 0 {
			word, t.failed = "FAIL", true
		}
		line := fmt.Sprintf("%s %s: %s, %s, %s\n", word, name, test.Recording, text.Count(len(test.States), "state"), text.Count(len(test.Answers), "answer"))
		if _, err := io.WriteString(t.out, printableLines(line+differences(found))); err != nil {
			return err
		}
	}
	return nil
}

func noTests(name string) error {
	hint := `add "tests"; sidecar help terminal says where they are described`
	if !profile.IsFile(name) {
		hint = "the tests of the built-in profiles are in the source, with their recordings"
	}
	return &exitError{code: exitFailed, err: fmt.Errorf("%s has no tests", name), hint: hint}
}

// result returns the error of the command: that of a single fault, or all of them with the
// highest of their exit codes.
func (t *profileTester) result() error {
	switch len(t.faults) {
	case 0:
		if t.failed {
			return silent(exitFailed)
		}
		return nil
	case 1:
		return t.faults[0]
	}
	all := &exitError{err: errors.Join(t.faults...)}
	for _, fault := range t.faults {
		var e *exitError
		if errors.As(fault, &e) {
			all.code = max(all.code, e.code)
		}
	}
	return all
}

// differences returns the differences as text, with the screen of each time once.
func differences(found []replay.Difference) string {
	var b strings.Builder
	for i, d := range found {
		fmt.Fprintf(&b, "%9.3f %s\n", d.At.Seconds(), d.What)
		fmt.Fprintf(&b, "          got  %q\n          want %q\n", d.Got, d.Want)
		if len(d.Screen.Lines) > 0 && (i+1 == len(found) || found[i+1].At != d.At) {
			b.WriteString(showScreen(d.Screen).framed())
		}
	}
	return b.String()
}
