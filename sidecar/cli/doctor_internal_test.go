package cli

import (
	"errors"
	"strings"
	"testing"
)

// Where the agent's own processes are not recognised, doctor says what that means.
func TestOwnProcesses(t *testing.T) {
	for system, says := range map[string][]string{
		"linux":  {"are recognised by their connections"},
		"darwin": {"cannot be told from others on this system", "may answer what the agent asks", "counts as a client's"},
	} {
		f := ownProcesses(system, nil)
		if f.OK != (system == "linux") {
			t.Errorf("%s: %+v", system, f)
		}
		for _, want := range says {
			if !strings.Contains(f.Text, want) {
				t.Errorf("%s: %q does not say %q", system, f.Text, want)
			}
		}
	}
	if f := ownProcesses("linux", errors.New("it is not mounted")); f.OK || !strings.Contains(f.Text, "/proc is not mounted") {
		t.Errorf("without /proc: %+v", f)
	}
}
