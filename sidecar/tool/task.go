package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// TaskID is the ID of the tool that gives work to other agents.
const TaskID = "task"

// The bounds of the arguments of task, in characters and seconds.
const (
	maxPrompt      = 200_000
	maxDescription = 200
	maxTaskID      = 128
	maxTaskWait    = 600
)

// cancelLimit is how long a call waits for a sub-agent to end that it has stopped.
const cancelLimit = 12 * time.Second

// taskArgs are the arguments of task.
type taskArgs struct {
	Agent, Prompt, Description, Context, Task string
	Background, Cancel                        bool
	Wait                                      int
}

// task gives work to another agent. agents are those that there are now.
func task(agents []AgentName) *Tool {
	name := `"type":"string","minLength":1`
	if len(agents) > 0 {
		names := make([]string, len(agents))
		for i, a := range agents {
			names[i] = a.Name
		}
		enum, err := text.JSON(names)
		if err != nil {
			panic(fmt.Sprintf("tool: names have no JSON form: %v", err)) // they are strings
		}
		name = `"type":"string","enum":` + string(enum)
	}
	return define(manifest.Definition{
		Name: TaskID,
		Description: "Give a piece of work to another agent, and get its answer. The agent sees nothing of this conversation: say in the prompt all that it needs, and what to answer. " +
			"Use it for work that stands by itself; several calls at once run at the same time. With background the call returns at once: ask with task, and wait, how far it is. " +
			"With context the agent goes on with a conversation whose context an earlier result has named. What your rules forbid is forbidden to the agent too. " + agentLines(agents),
		InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{
			"agent":{%s,"description":"the agent's name"},
			"prompt":{"type":"string","maxLength":%d,"description":"the work, whole"},
			"description":{"type":"string","maxLength":%d,"description":"the work in 3 to 5 words, for people"},
			"background":{"type":"boolean","description":"do not wait for the end"},
			"context":{"type":"string","maxLength":%d,"description":"go on with this conversation of the agent's"},
			"task":{"type":"string","maxLength":%d,"description":"instead of agent and prompt: read this task, which was begun before"},
			"wait":{"type":"integer","minimum":0,"maximum":%d,"description":"with task: wait so many seconds for its end"},
			"cancel":{"type":"boolean","description":"with task: stop it"}},"additionalProperties":false}`, name, maxPrompt, maxDescription, maxTaskID, maxTaskID, maxTaskWait)),
		Effects: manifest.EffectsWrite, Kind: "think", Requires: &manifest.Requires{},
	}, runTask)
}

// agentLines lists the agents for the model.
func agentLines(agents []AgentName) string {
	if len(agents) == 0 {
		return "No agents are named now."
	}
	var b strings.Builder
	b.WriteString("The agents:")
	for _, a := range agents {
		b.WriteString("\n- " + a.Name)
		if a.Description != "" {
			b.WriteString(": " + a.Description)
		}
	}
	return b.String()
}

func runTask(ctx context.Context, c *Call) (*Result, error) {
	var args taskArgs
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	if err := args.check(); err != nil {
		return nil, err
	}
	if c.Agents == nil {
		return nil, fmt.Errorf("there are no agents here to give work to: do it yourself")
	}
	if args.Task != "" {
		return args.old(ctx, c)
	}
	s, err := c.Agents.Start(ctx, SubWork{Agent: args.Agent, Prompt: args.Prompt, Description: args.Description, ContextID: args.Context, Background: args.Background})
	if err != nil {
		return nil, err
	}
	if args.Background {
		st := s.Status()
		_, err := fmt.Fprintf(c.Out, `The agent %s works on task %s. Read it with {"task":%q}, wait for it with {"task":%[3]q,"wait":60}, stop it with {"task":%[3]q,"cancel":true}.`, st.Agent, st.ID, st.ID)
		return nil, err
	}
	if err := follow(ctx, c, s); err != nil {
		return nil, stop(ctx, s, err)
	}
	return ending(c.Out, s.Status())
}

// check returns what is wrong with the arguments together.
func (a *taskArgs) check() error {
	switch {
	case a.Task != "" && (a.Agent != "" || a.Prompt != "" || a.Context != "" || a.Background || a.Description != ""):
		return fmt.Errorf("give agent and prompt to begin a task, or task to ask about one that was begun, not both")
	case a.Task == "" && (a.Cancel || a.Wait > 0):
		return fmt.Errorf("cancel and wait are about a task that was begun before: name it with task")
	case a.Cancel && a.Wait > 0:
		return fmt.Errorf("give cancel or wait, not both: a task that is canceled is waited for")
	case a.Task != "":
		return nil
	case a.Agent == "":
		return fmt.Errorf("agent is missing: name one of those in the tool's description, or task to ask about one that was begun")
	case strings.TrimSpace(a.Prompt) == "":
		return fmt.Errorf("prompt is missing: say all that the agent needs to know, because it sees nothing of this conversation")
	}
	return nil
}

// old reads, waits for or stops a task that was begun before.
func (a *taskArgs) old(ctx context.Context, c *Call) (*Result, error) {
	s, err := c.Agents.Find(a.Task)
	if err != nil {
		return nil, err
	}
	if a.Cancel {
		limited, done := context.WithTimeout(ctx, cancelLimit)
		defer done()
		s.Cancel(limited)
	}
	if a.Wait > 0 {
		limited, done := context.WithTimeout(ctx, time.Duration(a.Wait)*time.Second)
		defer done()
		_ = await(limited, c, s) // what there is then is the result
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	st := s.Status()
	if _, err := fmt.Fprintf(c.Out, "[%s]\n%s", st.line(), s.Text(0)); err != nil {
		return nil, err
	}
	return &Result{Files: st.Files}, nil
}

// follow writes what a task says until it has ended. The error is the cause for which it is no longer followed.
func follow(ctx context.Context, c *Call, s SubTask) error {
	from, said := 0, ""
	for {
		changed := s.Changed()
		st := s.Status()
		words := s.Text(from)
		if _, err := io.WriteString(c.Out, words); err != nil {
			return err
		}
		from += len(words)
		said = tell(c, st, said)
		if st.Ended {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// await waits for the end of a task.
func await(ctx context.Context, c *Call, s SubTask) error {
	said := ""
	for {
		changed := s.Changed()
		st := s.Status()
		said = tell(c, st, said)
		if st.Ended {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tell tells those who follow the call what the agent says that it does, if that is new.
func tell(c *Call, st SubStatus, before string) (now string) {
	if st.Said != before && st.Said != "" && c.Say != nil {
		c.Say(st.Agent + ": " + st.Said)
	}
	return st.Said
}

// stop stops a task for which nobody waits any more, and returns why.
func stop(ctx context.Context, s SubTask, why error) error {
	limited, done := context.WithTimeout(context.WithoutCancel(ctx), cancelLimit)
	defer done()
	s.Cancel(limited)
	return why
}

// ending is the result of a task that has ended while its call waited.
func ending(out io.Writer, st SubStatus) (*Result, error) {
	r := &Result{Files: st.Files}
	if st.State != SubCompleted {
		return r, fmt.Errorf("%s", st.line())
	}
	_, err := fmt.Fprintf(out, "\n\n[%s]", st.line())
	return r, err
}

// line says in one line how a task is.
func (st *SubStatus) line() string {
	words := fmt.Sprintf("task %s of the agent %s: %s", st.ID, st.Agent, st.State)
	if st.Fault != "" {
		words += ": " + st.Fault
	}
	if st.Question != "" {
		words += ": " + st.Question
	}
	if st.ContextID != "" {
		words += "; context " + st.ContextID
	}
	if st.Unheld {
		words += "; this agent does not know of the rules and the budget of your task, so they did not hold there"
	}
	return words
}
