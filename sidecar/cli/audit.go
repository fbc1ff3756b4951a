package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

const auditText = `Read the record of tool calls: who called what, what was decided by which rule, and
how it ended. Without --file the audit that run would write here is read
($SIDECAR_AUDIT, $SIDECAR_STATE_DIR). A sidecar may go on writing to it.`

const auditExamples = `sidecar audit show 0197c2f4
sidecar audit verify
sidecar audit replay --policy policy.json`

const auditExits = `0    shown; the audit is whole; every decision is the same
1    there is no such task; something is wrong with the audit; a decision is another
2    the command line is wrong
125  a file cannot be read`

func newAudit(std Std, settings *pflag.FlagSet) *cobra.Command {
	c := &cobra.Command{
		Use:         "audit COMMAND",
		Short:       "Read the record of tool calls",
		Long:        auditText,
		Example:     auditExamples,
		Annotations: map[string]string{exitCodes: auditExits},
		Args:        cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(c.CommandPath(), "say what: show, verify or replay")
			}
			return unknownCommand(c, args[0])
		},
	}
	c.AddCommand(newAuditShow(std), newAuditVerify(std), newAuditReplay(std, settings))
	for _, sub := range c.Commands() {
		sub.Annotations = map[string]string{exitCodes: auditExits}
		sub.DisableFlagsInUseLine = true
	}
	return c
}

// auditFile returns the audit that is read: the one that was given, or the one that run
// would write.
func auditFile(c *cobra.Command, std Std, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	file, err := config.AuditFile(std.Env)
	if err != nil {
		return "", configError(c.CommandPath(), err)
	}
	if file == "" {
		return "", usagef(c.CommandPath(), "no audit is kept here: name its file, or the directory of the sidecar's state by SIDECAR_STATE_DIR")
	}
	return file, nil
}
