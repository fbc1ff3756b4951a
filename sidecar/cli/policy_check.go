package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/policyfile"
)

const policyCheckText = `Check files of rules as run does, and report everything that is wrong at once, with
line, column and the fix. Rules that can never match are warnings.`

func newPolicyCheck(std Std) *cobra.Command {
	c := &cobra.Command{
		Use:         "check FILE...",
		Short:       "Check files of rules",
		Long:        policyCheckText,
		Example:     "sidecar policy check policy.json\nsidecar policy check -o json .sidecar/policy.json",
		Annotations: map[string]string{exitCodes: "0    every file is good\n1    something is wrong in one\n2    the command line is wrong\n125  a file cannot be read"},
		Args:        between(1, math.MaxInt, "FILE"),
	}
	outputFlag(c, func(_ *cobra.Command, files []string, asJSON bool) error {
		code := 0
		for _, file := range files {
			v, err := checkPolicy(file)
			switch {
			case err != nil:
				code = exitFault
			case !v.Valid && code == 0:
				code = exitFailed
			}
			if err := v.print(std, asJSON); err != nil {
				return err
			}
		}
		return silent(code)
	})
	return c
}

// policyVerdict is what is known of one file of rules. Its JSON is for CI.
type policyVerdict struct {
	File     string    `json:"file"`
	Valid    bool      `json:"valid"`
	Rules    int       `json:"rules"`
	Revision string    `json:"revision,omitempty"`
	Faults   []finding `json:"faults"`
	Warnings []finding `json:"warnings"`
}

// checkPolicy checks one file. The error says that it cannot be read; the verdict then names
// that as a fault too.
func checkPolicy(name string) (*policyVerdict, error) {
	v := &policyVerdict{File: name, Faults: []finding{}, Warnings: []finding{}}
	files, err := policyfile.Files{Policy: name}.Read()
	if err != nil {
		v.Faults = append(v.Faults, finding{Message: err.Error(), text: name + ": " + err.Error()})
		return v, err
	}
	set, warnings, err := policy.Load(files, policy.Options{Redaction: output.CheckPattern, Redactable: sidecar.CheckRedaction})
	for _, w := range warnings {
		v.Warnings = append(v.Warnings, newFinding(w))
	}
	var faults jsontree.Faults
	if errors.As(err, &faults) {
		for _, f := range faults {
			v.Faults = append(v.Faults, newFinding(f))
		}
		return v, nil
	}
	v.Valid, v.Rules, v.Revision = true, len(set.Rules()), set.Revision()
	return v, nil
}

func (v *policyVerdict) print(std Std, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(std.Out).Encode(v)
	}
	for _, f := range v.Faults {
		fmt.Fprintln(std.Out, printable(f.text))
	}
	for _, w := range v.Warnings {
		fmt.Fprintln(std.Out, printable("warning: "+w.text))
	}
	says := fmt.Sprintf("ok, %s, %s", text.Count(v.Rules, "rule"), v.Revision)
	if !v.Valid {
		says = text.Count(len(v.Faults), "fault")
	}
	_, err := fmt.Fprintf(std.Out, "%s: %s\n", printable(v.File), says)
	return err
}

const policyImportText = `Write a file of rules from another agent's settings: what they deny and ask about is
carried over, what they allow is not. What could not be carried over is listed on
standard error.`

func newPolicyImport(std Std) *cobra.Command {
	return &cobra.Command{
		Use:         "import AGENT FILE",
		Short:       "Make rules of another agent's settings",
		Long:        policyImportText,
		Example:     "sidecar policy import claude ~/.claude/settings.json > policy.json",
		Annotations: map[string]string{exitCodes: "0    written\n2    the command line is wrong\n125  the file cannot be read, or is bad"},
		Args:        between(2, 2, "FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			rules := agent.Named(args[0]).Rules
			if rules == nil {
				return usagef(c.CommandPath(), "%q is not known; write %s", args[0], text.Enumerate(agent.WithRules(), "or"))
			}
			return importRules(std, args[1], rules)
		},
	}
}

func importRules(std Std, name string, rules func(string, []byte, string) ([]byte, []string, error)) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return &exitError{code: exitFault, err: err}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	file, left, err := rules(name, data, home)
	if err != nil {
		return &exitError{code: exitFault, err: err}
	}
	for _, l := range left {
		fmt.Fprintln(std.Err, printable("not carried over: "+l))
	}
	_, err = std.Out.Write(file)
	return err
}
