package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
)

// statusSubagent is a task of another agent that has not ended.
type statusSubagent struct {
	Task        string        `json:"task"`
	Agent       string        `json:"agent"`
	Description string        `json:"description"`
	State       a2a.TaskState `json:"state"`
	Parent      string        `json:"parent"`
	Began       time.Time     `json:"began"`
	Unheld      bool          `json:"unheld"`
}

func (s *statusSubagent) print(b *strings.Builder, now time.Time) {
	fmt.Fprintf(b, "agent %s: task %s of task %s, %s, begun %s ago", printable(s.Agent), printable(s.Task), printable(s.Parent), stateName(s.State), since(now, s.Began))
	if s.Description != "" {
		fmt.Fprintf(b, ": %s", printable(oneLine(s.Description)))
	}
	if s.Unheld {
		b.WriteString(" (it does not know the rules and the budget of that task)")
	}
	b.WriteByte('\n')
}

// childRows returns the rows of the tasks that a task has given to other agents.
func childRows(t *a2a.Task) (rows []string) {
	note, _ := delegation.ReadNote(t.Metadata)
	for _, c := range note.Children {
		rows = append(rows, fmt.Sprintf("  %s\t%s\t\tagent %s\t%s", printable(c.ID), stateName(c.State), printable(c.Agent), printable(fitting(c.Description, excerptCols))))
	}
	return rows
}
