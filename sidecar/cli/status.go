package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

const statusHelp = `Say what an agent is doing, and how that is known: its sessions with their
state, the source and rule that told it, process and context, what it says of itself
and which options it offers (--agent-option), whether it is given tools, each turn with its task, age, process and what it waits for, what is to do (the tool todo), tasks of other agents, MCP servers, tools
that are not served because another one has their name, files that are not good
(manifest, tokens, certificates), and the last tasks that failed. Of what belongs to
other callers only the state is shown.`

// statusOptions are the flags of status.
type statusOptions struct {
	target
	json bool
	now  func() time.Time
}

func newStatus(std Std) *cobra.Command {
	o := &statusOptions{target: target{std: std}, now: time.Now}
	c := &cobra.Command{
		Use:         "status",
		Short:       "Say what an agent is doing, and why",
		Long:        statusHelp,
		Example:     "sidecar status\nsidecar status --json | jq '.sessions[].agent.state'",
		Annotations: map[string]string{exitCodes: "0  told\n1  the server answered an error\n4  no sidecar there"},
		Args:        between(0, 0, ""),
	}
	o.addFlag(c)
	outputFlag(c, func(c *cobra.Command, _ []string, asJSON bool) error {
		return o.run(c.Context(), asJSON || o.json)
	})
	c.Flags().BoolVar(&o.json, "json", false, "the same as --output json")
	return c
}

// statusDoc is the part of the server's answer that people read.
type statusDoc struct {
	Version  string          `json:"version"`
	State    string          `json:"state"`
	Reason   string          `json:"reason"`
	Mode     string          `json:"mode"`
	ModeWhy  string          `json:"modeReason"`
	Agent    *statusAbout    `json:"agent"`
	Sessions []statusSession `json:"sessions"`
	Queue    struct {
		Running, Waiting, Limit int
	} `json:"queue"`
	GivenTools *struct {
		Given  bool   `json:"given"`
		Server string `json:"server"`
		Reason string `json:"reason"`
	} `json:"givenTools"`
	Governed *statusGoverned `json:"governed"`
	Turns    []statusTurn    `json:"turns"`
	Todos    []struct {
		Context string `json:"contextId"`
		tool.TodosShown
	} `json:"todos"`
	Subagents []statusSubagent `json:"subagents"`
	Servers   []statusServer   `json:"servers"`
	Lost      []struct {
		Tool   string `json:"tool"`
		Reason string `json:"reason"`
	} `json:"lostTools"`
	LostMore int `json:"lostToolsMore"`
	Faults   []struct {
		Kind string `json:"kind"`
		File string `json:"file"`
		Text string `json:"text"`
	} `json:"faults"`
	Errors []struct {
		Time    time.Time `json:"time"`
		Task    string    `json:"taskId"`
		Context string    `json:"contextId"`
		Text    string    `json:"text"`
	} `json:"errors"`
}

type statusSession struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Turns   int       `json:"turns"`
	Other   bool      `json:"other"`
	Context string    `json:"contextId"`
	Task    string    `json:"taskId"`
	Many    bool      `json:"many"`
	Agent   struct {
		State   string    `json:"state"`
		Kind    string    `json:"kind"`
		Since   time.Time `json:"since"`
		Source  string    `json:"source"`
		Rule    string    `json:"rule"`
		Message string    `json:"message"`
		Failed  bool      `json:"failed"`
	} `json:"agent"`
}

func (o *statusOptions) run(ctx context.Context, asJSON bool) error {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	client, base, err := o.client()
	if err != nil {
		return err
	}
	doc, err := client.Document(ctx, "/status")
	if err != nil {
		return clientError(base, err)
	}
	var s statusDoc
	if err := json.Unmarshal(doc.Body, &s); err != nil {
		return notASidecar(base, "no status")
	}
	if asJSON {
		_, err = fmt.Fprintf(o.std.Out, "%s\n", doc.Body)
		return err
	}
	return s.print(o.std.Out, base, o.now())
}

// print writes the status for people. The terminal shows what agents and clients
// wrote, but never obeys it.
func (s *statusDoc) print(out io.Writer, base string, now time.Time) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, sidecar %s, mode %s\n", printable(base), printable(s.State), printable(s.Version), printable(s.Mode))
	if s.ModeWhy != "" {
		fmt.Fprintf(&b, "mode: chosen by auto, because %s\n", printable(s.ModeWhy))
	}
	if s.Agent != nil {
		s.Agent.print(&b)
	}
	if s.Reason != "" {
		fmt.Fprintf(&b, "takes no new work: %s\n", printable(s.Reason))
	}
	for _, f := range s.Faults {
		fmt.Fprintf(&b, "%s %s is not good, and what was read before is in force: %s\n", printable(f.Kind), printable(f.File), printable(oneLine(f.Text)))
	}
	if t := s.GivenTools; t != nil && t.Given {
		fmt.Fprintf(&b, "tools: given to the agent as the MCP server %s\n", printable(t.Server))
	} else if t != nil {
		fmt.Fprintf(&b, "tools: not given to the agent: %s\n", printable(oneLine(t.Reason)))
	}
	if s.Governed != nil {
		s.Governed.print(&b)
	}
	fmt.Fprintf(&b, "turns: %d running, %d of %d waiting\n", s.Queue.Running, s.Queue.Waiting, s.Queue.Limit)
	for i := range s.Sessions {
		s.Sessions[i].print(&b, now)
	}
	for i := range s.Turns {
		s.Turns[i].print(&b, now)
	}
	for _, l := range s.Todos {
		fmt.Fprintf(&b, "to do in %s: %d of %d\n", printable(l.Context), l.Open, l.Total)
		for _, t := range l.Todos {
			fmt.Fprintf(&b, "  %s %s\n", todoMark(t.Status), printable(first(t.Content)))
		}
	}
	for i := range s.Subagents {
		s.Subagents[i].print(&b, now)
	}
	for i := range s.Servers {
		s.Servers[i].print(&b, now)
	}
	for _, l := range s.Lost {
		fmt.Fprintf(&b, "tool %s is not served: %s\n", printable(l.Tool), printable(oneLine(l.Reason)))
	}
	if s.LostMore > 0 {
		fmt.Fprintf(&b, "and %s\n", text.CountOf(s.LostMore, "more tool is not", "more tools are not"))
	}
	if len(s.Errors) > 0 {
		b.WriteString("last errors:\n")
	}
	for _, e := range s.Errors {
		fmt.Fprintf(&b, "  %s ago, task %s: %s\n", since(now, e.Time), printable(e.Task), printable(first(e.Text)))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// todoMark shows how far an entry is.
func todoMark(status string) string {
	switch status {
	case "completed":
		return "[x]"
	case "in_progress":
		return "[>]"
	case "cancelled":
		return "[-]"
	}
	return "[ ]"
}

func (s *statusSession) print(b *strings.Builder, now time.Time) {
	a := &s.Agent
	state := a.State
	if a.Kind != "" {
		state += " (" + a.Kind + ")"
	}
	if a.Failed {
		state += ", the last turn failed"
	}
	fmt.Fprintf(b, "agent %d: %s", s.PID, printable(state))
	if !a.Since.IsZero() {
		fmt.Fprintf(b, " for %s", since(now, a.Since))
	}
	if a.Source != "" {
		fmt.Fprintf(b, ", by %s: %s", printable(a.Source), printable(a.Rule))
	}
	b.WriteByte('\n')
	if a.Message != "" {
		fmt.Fprintf(b, "  says: %s\n", printable(first(a.Message)))
	}
	whose := "nobody's yet"
	switch {
	case s.Other:
		whose = "another caller's"
	case s.Context != "":
		whose = "context " + s.Context
	case s.Many:
		whose = "a conversation for each context"
	}
	fmt.Fprintf(b, "  %s, started %s ago, %s", printable(whose), since(now, s.Started), text.Count(s.Turns, "turn"))
	if s.Task != "" {
		fmt.Fprintf(b, ", task %s", printable(s.Task))
	}
	b.WriteByte('\n')
}

// statusTurn is a turn that runs or waits.
type statusTurn struct {
	Task     string    `json:"taskId"`
	Tool     string    `json:"tool"`
	State    string    `json:"state"`
	Since    time.Time `json:"since"`
	PID      int       `json:"pid"`
	WaitsFor string    `json:"waitsFor"`
}

func (t *statusTurn) print(b *strings.Builder, now time.Time) {
	name := t.Task
	if t.Tool != "" {
		name += " (" + t.Tool + ")"
	}
	fmt.Fprintf(b, "turn %s: %s for %s", printable(name), printable(t.State), since(now, t.Since))
	if t.PID != 0 {
		fmt.Fprintf(b, ", process %d", t.PID)
	}
	switch {
	case t.WaitsFor == "":
	case t.State == "waiting":
		fmt.Fprintf(b, ", for %s", printable(t.WaitsFor))
	default:
		fmt.Fprintf(b, ", waits for %s", printable(t.WaitsFor))
	}
	b.WriteByte('\n')
}

// since returns roughly how long ago a time was.
func since(now, t time.Time) string {
	d := max(now.Sub(t), 0)
	if d < time.Minute {
		return d.Round(100 * time.Millisecond).String()
	}
	if days := d / (24 * time.Hour); days > 1 {
		return fmt.Sprintf("%dd%s", days, strings.TrimSuffix((d%(24*time.Hour)).Truncate(time.Hour).String(), "0m0s"))
	}
	return d.Round(time.Second).String()
}

// first returns the first line of a text.
func first(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more {
		line += " …"
	}
	return line
}
