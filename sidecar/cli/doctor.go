package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/sidecar/confine"
)

const doctorText = `Say what this machine can hold: which layers confine the programs of tools, which
do not and why, and what they are worth. It changes nothing and needs no sidecar.`

const doctorExits = `0  every layer is there
1  one is missing
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

// examination makes a checkup.
type examination func() checkup

// examinations are what doctor looks at, in order.
func examinations() []examination {
	return []examination{examineSandbox, examineApprovals}
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
	outputFlag(c, func(_ *cobra.Command, _ []string, asJSON bool) error { return runDoctor(std, asJSON) })
	return c
}

func runDoctor(std Std, asJSON bool) error {
	var all []checkup
	healthy := true
	for _, examine := range examinations() {
		s := examine()
		all = append(all, s)
		for _, f := range s.Facts {
			healthy = healthy && f.OK
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
	for _, l := range append(confine.Layers(), confine.Network()) {
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
