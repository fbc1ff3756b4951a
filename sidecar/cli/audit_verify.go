package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
)

func newAuditVerify(std Std) *cobra.Command {
	c := &cobra.Command{
		Use:     "verify [FILE]",
		Short:   "Find out whether a record was changed, left out or cut off",
		Example: "sidecar audit verify /var/lib/agent/audit/audit.ndjson",
		Args:    between(0, 1, ""),
	}
	outputFlag(c, func(c *cobra.Command, args []string, asJSON bool) error {
		given := ""
		if len(args) > 0 {
			given = args[0]
		}
		file, err := auditFile(c, std, given)
		if err != nil {
			return err
		}
		report, err := audit.Verify(file)
		if err != nil {
			return &exitError{code: exitFault, err: err}
		}
		if asJSON {
			err = json.NewEncoder(std.Out).Encode(verdictOnAudit(file, report))
		} else {
			err = printAudit(std, file, report)
		}
		if err == nil && report.Fault != nil {
			return silent(exitFailed)
		}
		return err
	})
	return c
}

// auditVerdict is what verify prints as JSON.
type auditVerdict struct {
	File    string      `json:"file"`
	Whole   bool        `json:"whole"`
	Records int         `json:"records"`
	First   uint64      `json:"first"`
	Last    uint64      `json:"last"`
	Hash    string      `json:"hash,omitempty"`
	Lost    uint64      `json:"lost"`
	Notes   []string    `json:"notes"`
	Fault   *auditFault `json:"fault,omitempty"`
}

type auditFault struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Seq     uint64 `json:"seq,omitempty"`
	Message string `json:"message"`
}

func verdictOnAudit(file string, r *audit.Report) auditVerdict {
	v := auditVerdict{File: file, Whole: r.Fault == nil, Records: r.Records, First: r.First, Last: r.Last, Hash: r.Hash, Lost: r.Lost, Notes: append([]string{}, r.Notes...)}
	if f := r.Fault; f != nil {
		v.Fault = &auditFault{File: f.File, Line: f.Line, Seq: f.Seq, Message: f.What}
	}
	return v
}

func printAudit(std Std, file string, r *audit.Report) error {
	for _, note := range r.Notes {
		fmt.Fprintf(std.Out, "note: %s\n", printable(note))
	}
	if r.Fault != nil {
		_, err := fmt.Fprintln(std.Out, printable(r.Fault.Error()))
		return err
	}
	_, err := fmt.Fprintf(std.Out, "%s: whole, %s in %s, the last is %d with the hash %s\n",
		printable(file), text.Count(r.Records, "record"), text.Count(r.Files, "file"), r.Last, r.Hash)
	return err
}
