package sidecar

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/subagent"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// agents are the other agents to which work can be given.
type agents struct {
	file *surface.File[subagent.Agents] // nil: there is none
	desk *subagent.Desk                 // nil: no work can be given away

	mu      sync.Mutex
	shown   *manifest.Snapshot // our own tools, for the agents of
	shownOf *subagent.Agents
}

// openAgents reads the file of agents.
func (s *sidecar) openAgents(context.Context) (err error) {
	s.agents = &agents{}
	if s.Config.Agents == "" {
		return nil
	}
	parse := subagent.Parse(subagent.Options{NoProcess: noProcess(&s.Config)})
	s.agents.file, err = surface.OpenFile("file of agents", s.Config.Agents, parse, surface.FileOptions{Trust: s.believe, Log: s.Log})
	if err == nil && !s.core.Has(tool.TaskID) {
		s.Log.Warn("--agents names agents to which nobody can give work: the tool task is not among --tools", "file", s.Config.Agents)
	}
	return err
}

// openSubagents begins to give work to the agents of the file.
func (s *sidecar) openSubagents(context.Context) error {
	if s.agents.file == nil {
		return nil
	}
	s.agents.desk = subagent.NewDesk(subagent.DeskOptions{
		Agents: s.agents.file.Current, File: s.Config.Agents, Local: localAgent{s}, Timeout: s.Config.TaskTimeout,
		Strict: s.Config.Govern == config.GovernStrict, Log: s.Log,
	})
	return nil
}

func (s *sidecar) closeSubagents(context.Context) error {
	if s.agents.desk != nil {
		s.agents.desk.Close()
	}
	return nil
}

// noProcess says why there cannot be one more process of the wrapped command, "" if there can be.
func noProcess(c *config.Config) string {
	switch {
	case c.Mode == config.ModeMCP:
		return "an agent that is an MCP server takes no messages"
	case c.Mode == config.ModeOneshot && c.MaxConcurrency < 2:
		return "--max-concurrency is 1, and the turn that would wait for it has that place"
	case c.Mode != config.ModeOneshot && c.Sessions < 2:
		return "in --mode " + c.Mode + " there is one process; give --sessions 2 or more, or --mode oneshot"
	}
	return ""
}

// coreTools returns our own tools, with the agents that there are now.
func (s *sidecar) coreTools() *manifest.Snapshot {
	a := s.agents
	now := &subagent.Agents{}
	if a.file != nil {
		now = a.file.Current()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.shownOf == nil || a.file != nil && a.shownOf != now {
		a.shown, a.shownOf = s.core.SnapshotFor(now.Names()), now
	}
	return a.shown
}

// denials implements call.Options.Denials by the rules as they are now.
func (s *sidecar) denials(caller string, agent bool) []json.RawMessage {
	return s.rules.Set().Denials(caller, agent)
}

// localAgent speaks to the sidecar itself: what it is given is done by one more process of the wrapped command.
type localAgent struct{ s *sidecar }

var _ subagent.Conn = localAgent{}

// Stream implements subagent.Conn.
func (l localAgent) Stream(ctx context.Context, r *a2a.SendRequest) (a2a.Stream, error) {
	return l.s.handler.StreamMessage(ctx, r)
}

// Subscribe implements subagent.Conn.
func (l localAgent) Subscribe(ctx context.Context, r *a2a.SubscribeRequest) (a2a.Stream, error) {
	return l.s.handler.SubscribeTask(ctx, r)
}

// Get implements subagent.Conn.
func (l localAgent) Get(ctx context.Context, r *a2a.GetRequest) (*a2a.Task, error) {
	t, err := l.s.handler.GetTask(ctx, r)
	return t, err
}

// Cancel implements subagent.Conn.
func (l localAgent) Cancel(ctx context.Context, r *a2a.CancelRequest) (*a2a.Task, error) {
	return l.s.handler.CancelTask(ctx, r)
}

// subagentStatus is a task of another agent.
type subagentStatus struct {
	Task        string        `json:"task"`
	Agent       string        `json:"agent"`
	Description string        `json:"description,omitempty"`
	State       a2a.TaskState `json:"state"`
	Parent      string        `json:"parent"` // the task that it is a part of
	Began       time.Time     `json:"began"`
	// Unheld says that the agent does not know the rules and the budget of the parent.
	Unheld bool `json:"unheld,omitempty"`
}

// subagentsOf returns the children of a caller's tasks that have not ended.
func (s *sidecar) subagentsOf(caller string) (all []subagentStatus) {
	if s.agents.desk == nil {
		return nil
	}
	for _, r := range s.agents.desk.Rows(caller) {
		all = append(all, subagentStatus{Task: r.ID, Agent: r.Agent, Description: r.Description, State: r.State, Parent: r.Parent, Began: r.Began, Unheld: r.Unheld})
	}
	return all
}
