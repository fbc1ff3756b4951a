package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

const replayText = `Decide every recorded call again: by the rules that run would have with these settings,
or with others, to see what a change would have meant.`

// replayOptions are the flags of audit replay.
type replayOptions struct {
	std   Std
	files map[string][]string // the settings of the rules that were given
}

func newAuditReplay(std Std, settings *pflag.FlagSet) *cobra.Command {
	o := &replayOptions{std: std, files: map[string][]string{}}
	c := &cobra.Command{
		Use:     "replay [flags] [FILE]",
		Short:   "Decide every recorded call again, by the rules of a policy",
		Long:    replayText,
		Example: "sidecar audit replay --policy policy.json\nsidecar audit replay --policy new.json audit.ndjson   what a change would have meant",
		Args:    between(0, 1, ""),
	}
	outputFlag(c, o.run)
	settingFlags(c, settings, o.files, "policy", "trust-project", "workspace", "root")
	return c
}

// rules reads and checks the policy files.
func (o *replayOptions) rules(c *cobra.Command) (*policy.Set, error) {
	cfg, err := config.Judging(o.files, o.std.Env)
	if err != nil {
		return nil, configError(c.CommandPath(), err)
	}
	set, err := sidecar.OfflineRules(cfg, o.std.Env)
	if err != nil {
		return nil, badFiles(o.std, err)
	}
	return set, nil
}

func (o *replayOptions) run(c *cobra.Command, args []string, asJSON bool) error {
	given := ""
	if len(args) > 0 {
		given = args[0]
	}
	file, err := auditFile(c, o.std, given)
	if err != nil {
		return err
	}
	set, err := o.rules(c)
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupt(c.Context())
	defer stop()
	var printed error
	sum, err := audit.ReplayAll(ctx, file, set, set.Revision(), func(d audit.Difference) {
		if printed == nil {
			printed = o.print(&d, asJSON)
		}
	})
	switch {
	case err != nil:
		return &exitError{code: exitFault, err: err}
	case printed != nil:
		return printed
	}
	if err := o.sum(sum, asJSON); err != nil {
		return err
	}
	if sum.Different > 0 {
		return silent(exitFailed)
	}
	return nil
}

// replayedDecision is a decision as replay prints it.
type replayedDecision struct {
	Verdict string `json:"verdict"`
	Scope   string `json:"scope,omitempty"`
	Rule    string `json:"rule,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
}

func (d replayedDecision) String() string {
	s := fmt.Sprintf("%s, by %s of %s", d.Verdict, d.Rule, d.Scope)
	if d.File != "" {
		s += fmt.Sprintf(" (%s:%d)", d.File, d.Line)
	}
	return s
}

func (o *replayOptions) print(d *audit.Difference, asJSON bool) error {
	was := replayedDecision{d.Recorded.Verdict, d.Recorded.Scope, d.Recorded.Rule, d.Recorded.File, d.Recorded.Line}
	now := replayedDecision{d.Now.Verdict.String(), d.Now.Scope, d.Now.Rule, d.Now.File, d.Now.Line}
	r := &d.Line.Record
	if asJSON {
		return json.NewEncoder(o.std.Out).Encode(struct {
			Seq      uint64           `json:"seq"`
			Task     string           `json:"task"`
			Tool     string           `json:"tool"`
			Recorded replayedDecision `json:"recorded"`
			Now      replayedDecision `json:"now"`
		}{r.Seq, r.Task, r.Tool, was, now})
	}
	_, err := fmt.Fprintf(o.std.Out, "record %d: %s, task %s\n  was  %s\n  now  %s\n", r.Seq, printable(r.Tool), printable(r.Task), printable(was.String()), printable(now.String()))
	return err
}

func (o *replayOptions) sum(sum audit.Replay, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(o.std.Out).Encode(struct {
			Same           int `json:"same"`
			Different      int `json:"different"`
			Others         int `json:"others"`
			Redacted       int `json:"redacted"`
			OtherRevisions int `json:"other_revisions"`
		}{sum.Same, sum.Different, sum.Others, sum.Redacted, sum.OtherRevisions})
	}
	if sum.OtherRevisions > 0 {
		fmt.Fprintf(o.std.Out, "note: %s judged by another policy than this one\n", text.CountOf(sum.OtherRevisions, "call was", "calls were"))
	}
	if sum.Redacted > 0 {
		fmt.Fprintf(o.std.Out, "note: %s not replayable: what the rules looked at was redacted\n", text.CountOf(sum.Redacted, "call is", "calls are"))
	}
	_, err := fmt.Fprintf(o.std.Out, "%d the same, %d different, %d not decided by rules\n", sum.Same, sum.Different, sum.Others)
	return err
}
