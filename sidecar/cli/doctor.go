package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
)

const doctorText = `Say what this machine can hold: which layers confine the programs of tools, which
do not and why, and what they are worth. It changes nothing and needs no sidecar.
--sandbox, or $SIDECAR_SANDBOX, is what a sidecar is to be started with: under
required, everything must be there. It names the mode that suits each agent that is
here (--mode auto). If $SIDECAR_MCP_CONFIG names a file of MCP
servers, it says which of them are locked.`

const doctorExits = `0  what --sandbox asks for can be held
1  something is missing, and --sandbox is required
2  the command line is wrong`

// fact is one line of a checkup: something that is there, or is not.
type fact struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Text string `json:"text"` // what it is for, or why it is not there
}

// checkup is a part of doctor's answer.
type checkup struct {
	Name  string `json:"name"`
	Facts []fact `json:"facts"`
	// Worth says what the facts mean, a paragraph.
	Worth string `json:"worth"`
}

// examination makes a checkup. required says that a fact which does not hold is a fault.
type examination struct {
	make     func() checkup
	required bool
}

// examinations are what doctor looks at, in order.
func examinations(sandbox string, environ []string) []examination {
	all := []examination{{examineSandbox, sandbox == config.SandboxRequired}, {examineApprovals, false}, {examineTools, false}, {func() checkup { return examineModes(environ) }, false}}
	if s, ok := examineServers(environ); ok {
		all = append(all, examination{func() checkup { return s }, false})
	}
	return all
}

func newDoctor(std Std) *cobra.Command {
	c := &cobra.Command{
		Use:         "doctor",
		Short:       "Say what this machine can hold",
		Long:        doctorText,
		Example:     "sidecar doctor\nsidecar doctor -o json | jq -r '.sections[].facts[] | select(.ok | not)'",
		Annotations: map[string]string{exitCodes: doctorExits},
		Args:        between(0, 0, ""),
	}
	mode := std.Getenv("SIDECAR_SANDBOX")
	if mode == "" {
		mode = config.SandboxAuto
	}
	c.Flags().StringVar(&mode, "sandbox", mode, "what is to be held: off, auto or required")
	outputFlag(c, func(c *cobra.Command, _ []string, asJSON bool) error {
		if !slices.Contains([]string{config.SandboxOff, config.SandboxAuto, config.SandboxRequired}, mode) {
			return usagef(c.CommandPath(), "--sandbox must be off, auto or required, not %q", mode)
		}
		return runDoctor(std, mode, asJSON)
	})
	return c
}

func runDoctor(std Std, sandbox string, asJSON bool) error {
	var all []checkup
	healthy := true
	for _, e := range examinations(sandbox, std.Env) {
		s := e.make()
		all = append(all, s)
		for _, f := range s.Facts {
			healthy = healthy && (f.OK || !e.required)
		}
	}
	if asJSON {
		if err := json.NewEncoder(std.Out).Encode(map[string][]checkup{"sections": all}); err != nil {
			return err
		}
	} else {
		printCheckups(std, all)
	}
	if !healthy {
		return silent(exitFailed)
	}
	return nil
}

func printCheckups(std Std, all []checkup) {
	for i, s := range all {
		if i > 0 {
			fmt.Fprintln(std.Out)
		}
		fmt.Fprintln(std.Out, s.Name)
		for _, f := range s.Facts {
			state := "on "
			if !f.OK {
				state = "OFF"
			}
			fmt.Fprintf(std.Out, "  %s  %-20s %s\n", state, f.Name, printable(f.Text))
		}
		for line := range strings.Lines(s.Worth) {
			fmt.Fprint(std.Out, "  ", line)
		}
		if s.Worth != "" {
			fmt.Fprintln(std.Out)
		}
	}
}

const sandboxWorth = `A program that runs as the sidecar's own user is kept from accidents, and from most
malice: it can still see that a file exists, and change the mode and times of files
of its user. Against malice, run tools as another user (--user) as well.`

// examineSandbox says which layers confine programs here.
func examineSandbox() checkup {
	s := checkup{Name: "sandbox", Worth: sandboxWorth}
	for _, l := range append(confine.Layers(), confine.Network(sandbox.NewNamespaces(self())), confine.Counting()) {
		f := fact{Name: l.Name, OK: l.On, Text: "confines " + l.Does}
		if !l.On {
			f.Text = l.Why
		}
		s.Facts = append(s.Facts, f)
	}
	for _, gap := range confine.Gaps() {
		s.Facts = append(s.Facts, fact{Name: "older Landlock", Text: gap})
	}
	return s
}
