package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

const policyText = `Check the rules of tool calls, and ask what they say. sidecar help policy explains
how they are written and which of them decides.`

// The paths under which a sidecar says what may be called, and why.
const (
	explainPath      = "/a2a/policy/explain"
	capabilitiesPath = "/a2a/policy/capabilities"
)

func newPolicy(std Std, settings *pflag.FlagSet) *cobra.Command {
	c := &cobra.Command{
		Use:   "policy COMMAND",
		Short: "Check and explain the rules of tool calls",
		Long:  policyText,
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return c.Help()
		},
	}
	c.AddCommand(newPolicyCheck(std), newPolicyExplain(std, settings), newPolicyCapabilities(std, settings), newPolicyImport(std))
	return c
}

// judged is whose rules a command asks: those of files, or of a running sidecar.
type judged struct {
	target
	files map[string][]string // the flags of config.Judging that were given
	as    string
}

// Set in callers that are not names.
const (
	asAgent     = "agent"
	asAnonymous = "anonymous"
)

// addFlags adds the flags of run that name files; settings are all flags of run.
func (j *judged) addFlags(c *cobra.Command, settings *pflag.FlagSet) {
	j.files = map[string][]string{}
	settingFlags(c, settings, j.files, config.JudgingSettings()...)
	c.Flags().StringVar(&j.as, "as", asAnonymous, "`CALLER` who calls, in files: a name, agent or anonymous")
	j.addFlag(c)
}

// settingFlags adds flags of run to a command which keeps what they are given. settings are all
// of them: the table is not made again at each start.
func settingFlags(c *cobra.Command, settings *pflag.FlagSet, into map[string][]string, names ...string) {
	for _, name := range names {
		f := settings.Lookup(name)
		own := c.Flags().VarPF(fileFlag{into, name}, name, "", f.Usage)
		own.NoOptDefVal = f.NoOptDefVal
	}
}

// fileFlag is a flag of run that says which files to ask.
type fileFlag struct {
	all  map[string][]string
	name string
}

func (f fileFlag) String() string { return "" }

func (f fileFlag) Set(value string) error {
	f.all[f.name] = append(f.all[f.name], value)
	return nil
}

func (f fileFlag) Type() string { return "string" }

// offline returns the judges of the files that were named; ok is false if none was.
func (j *judged) offline(c *cobra.Command) (judges call.Judges, ok bool, err error) {
	if len(j.files) == 0 {
		return judges, false, nil
	}
	cfg, err := config.Judging(j.files, j.std.Env)
	if err != nil {
		return judges, true, configError(c.CommandPath(), err)
	}
	judges, err = sidecar.OfflineJudges(cfg, j.std.Env, self())
	if err != nil {
		return judges, true, badFiles(j.std, err)
	}
	return judges, true, nil
}

// badFiles prints each fault of files of rules or tools, and returns how the command ends.
func badFiles(std Std, err error) error {
	var faults jsontree.Faults
	if !errors.As(err, &faults) {
		return &exitError{code: exitFault, err: err}
	}
	for _, f := range faults {
		fmt.Fprintln(std.Err, printable(f.String()))
	}
	return silent(exitFault)
}

// caller returns who calls, in files.
func (j *judged) caller() (name string, agent bool) {
	switch j.as {
	case asAgent:
		return "", true
	case asAnonymous:
		return "", false
	}
	return j.as, false
}

// document reads a document of a running sidecar.
func (j *judged) document(c *cobra.Command, path string, into any) error {
	client, base, err := j.client()
	if err != nil {
		return err
	}
	doc, err := client.Document(c.Context(), path)
	if err != nil {
		return clientError(base, err)
	}
	if err := json.Unmarshal(doc.Body, into); err != nil {
		return notASidecar(base, "no policy")
	}
	return nil
}

const explainText = `Say what would become of a tool call: allowed, asked about or denied, by which rule
in which line, and which rules lost. Nothing is called. With --policy, --manifest or
another flag of run the files are asked, otherwise a running sidecar.`

func newPolicyExplain(std Std, settings *pflag.FlagSet) *cobra.Command {
	j := &judged{target: target{std: std}}
	c := &cobra.Command{
		Use:   "explain TOOL [ARGUMENTS]",
		Short: "Say what would become of a call, and by which rule",
		Long:  explainText,
		Example: `sidecar policy explain acme.deploy '{"env":"prod"}'
sidecar policy explain acme.deploy '{"env":"prod"}' --policy policy.json --manifest tools.json --as agent`,
		Annotations: map[string]string{exitCodes: "0    it is allowed, or asked about\n1    it is denied, or no call at all\n2    the command line is wrong\n4    no sidecar there\n125  a file is bad"},
		Args:        between(1, 2, "TOOL"),
	}
	j.addFlags(c, settings)
	outputFlag(c, func(c *cobra.Command, args []string, asJSON bool) error {
		d, err := j.explain(c, args)
		if err != nil {
			return err
		}
		if err := printDocument(std, d, asJSON, d.Text()); err != nil {
			return err
		}
		if d.Invalid != "" || d.Decision.Verdict == "deny" {
			return silent(exitFailed)
		}
		return nil
	})
	return c
}

// explain asks the files, or a running sidecar.
func (j *judged) explain(c *cobra.Command, args []string) (*call.ExplanationDocument, error) {
	arguments := "{}"
	if len(args) > 1 {
		arguments = args[1]
	}
	judges, offline, err := j.offline(c)
	if err != nil {
		return nil, err
	}
	if offline {
		caller, agent := j.caller()
		e := judges.Explain(c.Context(), call.Request{Tool: args[0], Arguments: []byte(arguments), Caller: caller, Agent: agent})
		return e.Document(), nil
	}
	d := &call.ExplanationDocument{}
	err = j.document(c, explainPath+"?"+url.Values{"tool": {args[0]}, "arguments": {arguments}}.Encode(), d)
	if err == nil && d.Invalid == "" && d.Decision == nil {
		err = notASidecar("it", "no decision")
	}
	return d, err
}

// printDocument prints an answer for programs or for people.
func printDocument(std Std, d any, asJSON bool, plain string) error {
	if asJSON {
		return json.NewEncoder(std.Out).Encode(d)
	}
	_, err := fmt.Fprint(std.Out, text.Strip(plain))
	return err
}
