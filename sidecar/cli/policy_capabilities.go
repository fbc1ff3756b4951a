package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
)

const capabilitiesText = `List all that the tools may use together, with what the policy adds, and for each
tool whether it may be called: what is allowed may still depend on its arguments. With
--policy, --manifest or another flag of run the files are asked, otherwise a running
sidecar.`

func newPolicyCapabilities(std Std, settings *pflag.FlagSet) *cobra.Command {
	j := &judged{target: target{std: std}}
	c := &cobra.Command{
		Use:         "capabilities",
		Short:       "List what the tools may use, and which may be called",
		Long:        capabilitiesText,
		Example:     "sidecar policy capabilities\nsidecar policy capabilities --manifest tools.json --policy policy.json -o json",
		Annotations: map[string]string{exitCodes: "0    listed\n2    the command line is wrong\n4    no sidecar there\n125  a file is bad"},
		Args:        between(0, 0, ""),
	}
	j.addFlags(c, settings)
	outputFlag(c, func(c *cobra.Command, _ []string, asJSON bool) error {
		judges, offline, err := j.offline(c)
		if err != nil {
			return err
		}
		d := &call.CapabilitiesDocument{}
		if offline {
			caller, agent := j.caller()
			d = judges.Capabilities(c.Context(), call.Visitor{Caller: caller, Agent: agent})
		} else if err := j.document(c, capabilitiesPath, d); err != nil {
			return err
		}
		return printDocument(std, d, asJSON, capabilitiesOf(d))
	})
	return c
}

// capabilitiesOf returns the list for people.
func capabilitiesOf(d *call.CapabilitiesDocument) string {
	var b strings.Builder
	b.WriteString("all tools together\n")
	writeRequires(&b, &d.Requires)
	for _, t := range d.Tools {
		verdict := t.Decision.Verdict
		if !t.Permitted {
			verdict = "not permitted (" + t.Absent + ")"
		}
		fmt.Fprintf(&b, "%s  %s: %s\n", t.Tool, verdict, t.Decision.Reason)
		if t.Assumed {
			b.WriteString("  it declares nothing; this is assumed\n")
		}
		writeRequires(&b, &t.Requires)
	}
	return b.String()
}

func writeRequires(b *strings.Builder, r *manifest.Requires) {
	for _, row := range []struct {
		label  string
		values []string
	}{
		{"reads", r.FSRead}, {"writes", r.FSWrite}, {"reaches", r.NetHosts}, {"runs", commandsOf(r.Shell)}, {"has", r.Capabilities},
	} {
		if len(row.values) > 0 {
			fmt.Fprintf(b, "  %-8s%s\n", row.label, strings.Join(row.values, ", "))
		}
	}
}

// commandsOf returns commands as people write them: * is any argument, and … any number.
func commandsOf(all []manifest.ShellRun) (lines []string) {
	for _, c := range all {
		words := []string{c.Cmd}
		for _, a := range c.Args {
			switch a.Match {
			case manifest.ArgExact:
				words = append(words, a.Text)
			case manifest.ArgPrefix:
				words = append(words, a.Text+"*")
			case manifest.ArgAny:
				words = append(words, "*")
			}
		}
		if c.Args == nil {
			words = append(words, "…")
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}
