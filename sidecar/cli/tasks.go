package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

const tasksText = `List tasks, the newest change first: what runs, what waits for an answer, how the
others ended. With callers known, those of the caller.`

const tasksExamples = `sidecar tasks
sidecar tasks --state input-required       what waits for somebody
sidecar tasks --context review --limit 5
sidecar tasks -o json | jq -r '.tasks[].id'`

const tasksExits = `0  listed
1  the server answered an error
2  the command line is wrong
4  no sidecar there`

// maxPage is the most tasks that a server returns at once (§3.1.4).
const maxPage = 100

// tasksOptions are the flags of tasks.
type tasksOptions struct {
	target
	context string
	state   string
	limit   int
	now     func() time.Time
}

func newTasks(std Std) *cobra.Command {
	o := &tasksOptions{target: target{std: std}, now: time.Now}
	c := &cobra.Command{
		Use:         "tasks",
		Short:       "List tasks",
		Long:        tasksText,
		Example:     tasksExamples,
		Annotations: map[string]string{exitCodes: tasksExits},
		Args:        between(0, 0, ""),
	}
	o.addFlag(c)
	outputFlag(c, func(c *cobra.Command, _ []string, asJSON bool) error {
		if o.limit < 1 || o.limit > maxPage {
			return usagef(c.CommandPath(), "--limit %d is not a number from 1 to %d", o.limit, maxPage)
		}
		return o.run(c, asJSON)
	})
	c.Flags().StringVarP(&o.context, "context", "c", "", "`ID` of the conversation whose tasks are listed")
	c.Flags().StringVarP(&o.state, "state", "s", "", "`STATE` that tasks are listed in: "+strings.Join(stateNames(), ", "))
	c.Flags().IntVarP(&o.limit, "limit", "n", 20, "`N` tasks at most, up to 100 (20)")
	return c
}

// states returns the states that a task may be in.
func states() []a2a.TaskState {
	return []a2a.TaskState{
		a2a.StateSubmitted, a2a.StateWorking, a2a.StateInputRequired, a2a.StateAuthRequired,
		a2a.StateCompleted, a2a.StateFailed, a2a.StateCanceled, a2a.StateRejected,
	}
}

// stateNames returns the states as people write them.
func stateNames() []string {
	var names []string
	for _, s := range states() {
		names = append(names, stateName(s))
	}
	return names
}

// stateOf returns the state of that name, "" for none.
func stateOf(c *cobra.Command, name string) (a2a.TaskState, error) {
	if name == "" {
		return "", nil
	}
	at := slices.Index(stateNames(), strings.ToLower(name))
	if at < 0 {
		return "", usagef(c.CommandPath(), "--state %q is none of %s", name, strings.Join(stateNames(), ", "))
	}
	return states()[at], nil
}

func (o *tasksOptions) run(c *cobra.Command, asJSON bool) error {
	state, err := stateOf(c, o.state)
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupt(c.Context())
	defer stop()
	client, base, err := o.client()
	if err != nil {
		return err
	}
	one := 1
	list, err := client.List(ctx, &a2a.ListRequest{ContextID: o.context, State: state, PageSize: o.limit, HistoryLength: &one})
	if err != nil {
		return clientError(base, err)
	}
	if asJSON {
		return o.printJSON(list)
	}
	return o.print(list)
}

// printJSON writes {"tasks":[…],"totalSize":n}, each task as A2A 1.0 has it.
func (o *tasksOptions) printJSON(list *a2a.TaskList) error {
	doc := struct {
		Tasks []json.RawMessage `json:"tasks"`
		Total int               `json:"totalSize"`
	}{Tasks: []json.RawMessage{}, Total: list.TotalSize}
	for _, t := range list.Tasks {
		doc.Tasks = append(doc.Tasks, codec.EncodeTask(t, a2a.V10))
	}
	return json.NewEncoder(o.std.Out).Encode(doc)
}

func (o *tasksOptions) print(list *a2a.TaskList) error {
	if len(list.Tasks) == 0 {
		_, err := fmt.Fprintln(o.std.Out, "no tasks")
		return err
	}
	w := tabwriter.NewWriter(o.std.Out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "TASK\tSTATE\tCHANGED\tCONTEXT\tLAST MESSAGE")
	for _, t := range list.Tasks {
		fmt.Fprintf(w, "%s\t%s\t%s ago\t%s\t%s\n", printable(t.ID), stateName(t.Status.State),
			since(o.now(), t.Status.Timestamp), printable(t.ContextID), printable(fitting(first(lastMessage(t)), excerptCols)))
		for _, row := range childRows(t) {
			fmt.Fprintln(w, row)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if more := list.TotalSize - len(list.Tasks); more > 0 {
		fmt.Fprintf(o.std.Err, "sidecar: %s more; --limit N shows up to %d\n", text.Count(more, "task"), maxPage)
	}
	return nil
}

// excerptCols is how many columns of a message a row shows.
const excerptCols = 60

// lastMessage returns the last message of a task: from its status, otherwise from its
// history.
func lastMessage(t *a2a.Task) string {
	if t.Status.Message != nil {
		if text := textOf(t.Status.Message.Parts); text != "" {
			return text
		}
	}
	n := len(t.History)
	if n == 0 {
		return ""
	}
	if text := textOf(t.History[n-1].Parts); text != "" {
		return text
	}
	return calledTool(t.History[n-1].Parts)
}

// calledTool returns the tool that a message without text calls, "" for none.
func calledTool(parts []a2a.Part) string {
	for _, p := range parts {
		var door struct {
			ToolCall struct{ Name string } `json:"toolCall"`
		}
		if p.Kind == a2a.PartData && json.Unmarshal(p.Data, &door) == nil && door.ToolCall.Name != "" {
			return "(calls " + door.ToolCall.Name + ")"
		}
	}
	return ""
}

// task gets one task; if there is none, its error says what to do.
func (t *target) task(ctx context.Context, client *client.Client, base, id string) (*a2a.Task, error) {
	found, err := client.Get(ctx, &a2a.GetRequest{ID: id})
	if err != nil {
		return nil, taskError(base, err)
	}
	return found, nil
}
