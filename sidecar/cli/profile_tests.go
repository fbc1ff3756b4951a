package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/replay"
)

const profileTestText = `Run the tests of profiles: each plays a recording, without the agent, and compares
what the profile says at certain times, and what would be answered to each message,
with what the profile's "tests" expect. What differs is printed with the screen.`

func newProfileTest(std Std) *cobra.Command {
	return &cobra.Command{
		Use:     "test FILE...",
		Short:   "Run the tests of profiles",
		Long:    profileTestText,
		Example: "sidecar profile test ./mine.json",
		Args:    between(1, 1000, "the FILE of a profile"),
		RunE: func(c *cobra.Command, args []string) error {
			failed := false
			for _, name := range args {
				p, err := agent.Load(name)
				if err != nil {
					return profileError(c.CommandPath(), err)
				}
				ok, err := testProfile(std.Out, name, p)
				if err != nil {
					return err
				}
				failed = failed || !ok
			}
			if failed {
				return silent(exitFailed)
			}
			return nil
		},
		ValidArgsFunction: profiles,
	}
}

// testProfile runs the tests of one profile, and reports whether all went well.
func testProfile(out io.Writer, name string, p *profile.Profile) (bool, error) {
	if len(p.Tests) == 0 {
		hint := `give it "tests"; sidecar help terminal says where to read about them`
		if !profile.IsFile(name) {
			hint = "the recordings of the built-in profiles are with the source, and so are their tests"
		}
		return false, &exitError{code: exitFailed, err: fmt.Errorf("%s has no tests", name), hint: hint}
	}
	good := true
	for _, test := range p.Tests {
		found, err := replay.Check(p, filepath.Dir(name), test)
		if err != nil {
			return false, &exitError{code: exitFault, err: fmt.Errorf("%s: %w", name, err)}
		}
		word := "ok  "
		if len(found) > 0 {
			word, good = "FAIL", false
		}
		line := fmt.Sprintf("%s %s: %s, %d states, %d answers\n", word, name, test.Recording, len(test.States), len(test.Answers))
		if _, err := io.WriteString(out, printableLines(line+differences(found))); err != nil {
			return false, err
		}
	}
	return good, nil
}

// differences returns what differs, with the screen of each time once.
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
