package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
)

func newAuditShow(std Std) *cobra.Command {
	given := ""
	c := &cobra.Command{
		Use:     "show [flags] TASK",
		Short:   "Print what is recorded of a task's tool call",
		Example: "sidecar audit show 0197c2f4\nsidecar audit show -o json 0197c2f4 | jq .decision",
		Args:    between(1, 1, "TASK"),
	}
	outputFlag(c, func(c *cobra.Command, args []string, asJSON bool) error {
		file, err := auditFile(c, std, given)
		if err != nil {
			return err
		}
		found := false
		for l := range audit.Lines(file) {
			r := &l.Record
			switch {
			case l.Number == 0:
				return &exitError{code: exitFault, err: l.Err}
			case l.Err != nil:
				fmt.Fprintf(std.Err, "sidecar: %s:%d: %s\n", printable(l.File), l.Number, printable(l.Err.Error()))
				continue
			case r.Task == "" || !strings.HasPrefix(r.Task, args[0]) && r.Parent != args[0]:
				continue
			}
			found = true
			if err := showRecord(std, r, asJSON); err != nil {
				return err
			}
		}
		if !found {
			return &exitError{code: exitFailed, err: fmt.Errorf("%s has no record of task %s", file, args[0]), hint: "a task is named by its id, or by how the id begins; only tool calls are recorded"}
		}
		return nil
	})
	c.Flags().StringVar(&given, "file", "", "`FILE` of the audit")
	return c
}

// showRecord prints a record: for people, or as the line has it, with its place.
func showRecord(std Std, r *audit.Record, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(std.Out).Encode(struct {
			Seq  uint64    `json:"seq"`
			Time time.Time `json:"time"`
			Prev string    `json:"prev"`
			*audit.Record
			Hash string `json:"hash"`
		}{r.Seq, r.Time, r.Prev, r, r.Hash})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d  %s  %s  %s", r.Seq, r.Time.Format(time.RFC3339), r.Event, r.Tool)
	if r.Outcome != "" {
		fmt.Fprintf(&b, ": %s after %s", r.Outcome, time.Duration(r.DurationMS)*time.Millisecond)
	}
	b.WriteByte('\n')
	for _, row := range rowsOf(r) {
		fmt.Fprintf(&b, "  %-10s %s\n", row.name, printable(row.value))
	}
	_, err := fmt.Fprint(std.Out, b.String())
	return err
}

type auditRow struct{ name, value string }

// rowsOf returns what is known of a record, one row each.
func rowsOf(r *audit.Record) (rows []auditRow) {
	add := func(name, format string, args ...any) {
		if value := strings.TrimSpace(fmt.Sprintf(format, args...)); value != "" {
			rows = append(rows, auditRow{name, value})
		}
	}
	add("task", "%s", r.Task)
	add("parent", "%s", r.Parent)
	add("context", "%s", r.Context)
	if r.Event != audit.EventAfter {
		add("caller", "%s", callerOf(r))
	}
	add("definition", "%s", r.Definition)
	if a := r.Arguments; a != nil {
		add("arguments", "%d bytes, HMAC %.16s", a.Bytes, a.HMAC)
		add("judged", "%s", a.Judged)
	}
	if r.Redacted {
		add("redacted", "secrets were taken out of the values that were judged")
	}
	for _, u := range r.Uses {
		add("uses", "%s %s", u.Capability, u.Value)
	}
	if d := r.Decision; d != nil {
		add("rules", "%s, by %s of %s", d.Verdict, d.Rule, d.Scope)
		if d.File != "" {
			add("", "%s:%d", d.File, d.Line)
		}
		add("policy", "%s", d.Revision)
	}
	if w := r.Watchdog; w != nil {
		add("watchdog", "%s %s", w.Verdict, strings.TrimSpace(w.Failure+" "+w.Reason))
	}
	if a := r.Approval; a != nil {
		add("approval", "%s, by %s (%s)", a.Option, orAnonymous(a.By), a.ID)
	}
	add("sandbox", "%s", strings.Join(r.Sandbox, ", "))
	add("reason", "%s", r.Reason)
	switch {
	case r.Signal != "":
		add("exit", "killed by %s", r.Signal)
	case r.ExitCode != nil:
		add("exit", "status %d", *r.ExitCode)
	}
	for _, e := range r.Egress {
		word := "refused"
		if e.Allowed {
			word = "allowed"
		}
		add("connection", "%s %s %s", e.Host, word, e.Reason)
		if e.Rule != "" {
			add("", "by %s", e.Rule)
		}
		if e.File != "" {
			add("", "%s:%d", e.File, e.Line)
		}
	}
	return rows
}

func callerOf(r *audit.Record) string {
	who := orAnonymous(r.Caller)
	if r.Agent {
		who = "the agent, for " + who
	}
	return who + " by " + r.Door
}

func orAnonymous(caller string) string {
	if caller == "" {
		return "anonymous"
	}
	return caller
}
