package sidecar

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// statusPath is where a caller reads what its agent is doing, and why.
const statusPath = "/status"

// lastErrors is how many failed tasks are listed; statusText is the most bytes of
// each reason.
const (
	lastErrors = 5
	statusText = 500
)

// statusDoc is the body of GET /status. What belongs to another caller is left out:
// of that caller's sessions it tells only that they exist and what their agent is
// doing.
type statusDoc struct {
	Version string `json:"version"`
	// State is starting, serving or draining; Reason says why no new work is taken,
	// "" while it is taken.
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	Mode   string `json:"mode"`
	// ModeReason says why --mode auto has settled on the mode, "" if it was not auto.
	ModeReason string `json:"modeReason,omitempty"`
	// Agent is what the agent says of itself in a mode in which it is spoken to in messages; it is left
	// out before it has said it.
	Agent    *aboutStatus    `json:"agent,omitempty"`
	Sessions []sessionStatus `json:"sessions"`
	Queue    queueStatus     `json:"queue"`
	// GivenTools says whether the agent is offered our tools; it is left out if nobody wants
	// that.
	GivenTools *givenTools `json:"givenTools,omitempty"`
	// Governed says how the agent is governed; it is left out if it is not.
	Governed *governedStatus `json:"governed,omitempty"`
	// Turns are the caller's turns that run or wait, in the order they came.
	Turns  []turnStatus  `json:"turns"`
	Errors []errorStatus `json:"errors"`
	// Faults are the files that are bad now: what was last read of them before stays
	// in force.
	Faults []fileStatus `json:"faults,omitempty"`
	// Todos are the lists of the caller's conversations, written by the tool todo: those with something left
	// to do, the last used first.
	Todos []todoStatus `json:"todos,omitempty"`
	// Subagents are the tasks of other agents that belong to the caller's tasks and have not ended.
	Subagents []subagentStatus `json:"subagents,omitempty"`
	// Servers are the MCP servers whose tools are served.
	Servers []serverStatus `json:"servers,omitempty"`
	// Lost are the tools that are not served because another one has their name, and LostMore
	// is how many there are in addition to these.
	Lost     []lostStatus `json:"lostTools,omitempty"`
	LostMore int          `json:"lostToolsMore,omitempty"`
}

// todoStatus is what is to be done in a conversation.
type todoStatus struct {
	Context string `json:"contextId"`
	tool.TodosShown
}

// todosListed is how many lists the status has.
const todosListed = 10

// todosFor returns the lists of a caller's conversations.
func todosFor(sessions []*tool.Session, caller string) (all []todoStatus) {
	for _, s := range sessions {
		if s.Owner != caller || len(all) == todosListed {
			continue
		}
		if shown := tool.ShownTodos(s.Todos()); shown.Open > 0 {
			all = append(all, todoStatus{s.ID, shown})
		}
	}
	return all
}

// lostStatus is a tool that is not served because another one has its name.
type lostStatus struct {
	Tool   string `json:"tool"`
	Reason string `json:"reason"`
}

// lostShown is how many lost tools are listed.
const lostShown = 20

// lostStatusOf returns the lost tools that are listed, and how many more there are. Those without
// a name are among the problems of their server.
func lostStatusOf(lost []surface.Lost) (shown []lostStatus, more int) {
	for _, l := range lost {
		switch {
		case l.Name == "":
		case len(shown) == lostShown:
			more++
		default:
			shown = append(shown, lostStatus{l.Name, l.Text})
		}
	}
	return shown, more
}

// sessionStatus is one agent process.
type sessionStatus struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Turns   int       `json:"turns"`
	// Other: the session belongs to another caller.
	Other   bool   `json:"other,omitempty"`
	Context string `json:"contextId,omitempty"`
	Task    string `json:"taskId,omitempty"`
	// Many: it holds a conversation for each context, of any caller.
	Many bool `json:"many,omitempty"`
	// Agent is what the agent is doing, and who says so.
	Agent agentStatus `json:"agent"`
}

// agentStatus is what the agent is doing, and who says so (see profile.Verdict).
type agentStatus struct {
	State      string    `json:"state"`
	Kind       string    `json:"kind,omitempty"`
	Since      time.Time `json:"since,omitzero"`
	Source     string    `json:"source,omitempty"`
	Rule       string    `json:"rule,omitempty"`
	Confidence float64   `json:"confidence,omitempty"`
	Message    string    `json:"message,omitempty"`
	Failed     bool      `json:"failed,omitempty"`
}

// givenTools says whether the agent is offered our tools, and why not.
type givenTools struct {
	Given  bool   `json:"given"`
	Server string `json:"server"` // the MCP server's name in the agent's eyes
	Reason string `json:"reason,omitempty"`
}

// queueStatus is how many turns run and wait, and how many may.
type queueStatus struct {
	Running int `json:"running"`
	Waiting int `json:"waiting"`
	Limit   int `json:"limit"`
}

// errorStatus is a task of the caller that failed.
type errorStatus struct {
	Time    string `json:"time"`
	Task    string `json:"taskId"`
	Context string `json:"contextId"`
	Text    string `json:"text"`
}

// mounts returns the handlers of the paths that are not A2A's own.
func (s *sidecar) mounts() map[string]server.Mount {
	all := s.terminals.Mounts()
	all[explainPath] = server.Mount{Methods: "GET", Name: "ExplainCall", Serve: s.serveExplain}
	all[capabilitiesPath] = server.Mount{Methods: "GET", Name: "Capabilities", Serve: s.serveCapabilities}
	all[effectivePath] = server.Mount{Methods: "GET, HEAD", Name: "EffectiveTools", Serve: s.serveEffective}
	all[statusPath] = server.Mount{Methods: "GET, HEAD", Name: "Status", Serve: s.serveStatus}
	all[logsPath] = server.Mount{Methods: "GET", Name: "Logs", Stream: true, Serve: s.serveLogs}
	all[approvalsPath] = server.Mount{Methods: "GET, HEAD", Name: "ListApprovals", Serve: s.serveApprovals}
	all[approvalsPath+"/"] = server.Mount{Methods: "GET, HEAD, POST", Name: "Approval", Body: true, Serve: s.serveApproval}
	all[mcpPath] = s.mcpMount()
	all[outputsPath] = server.Mount{Methods: "GET, HEAD", Name: "Output", Serve: s.serveOutput}
	all[changesPath] = server.Mount{Methods: "GET, HEAD", Name: "Changes", Serve: s.serveChanges}
	all[undoPath] = server.Mount{Methods: "POST", Name: "Undo", Body: true, Serve: s.serveUndo}
	return all
}

// serveStatus answers GET /status.
func (s *sidecar) serveStatus(w http.ResponseWriter, r *http.Request, id server.Identity) error {
	doc, err := s.status(r.Context(), id.Caller)
	if err != nil {
		return err
	}
	body, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, err = w.Write(body)
	return err
}

// status returns what a caller may know. While the sidecar starts there is no agent.
func (s *sidecar) status(ctx context.Context, caller string) (*statusDoc, error) {
	doc := &statusDoc{
		Version: s.Version, State: s.gate.State().String(), Mode: string(s.Config.Mode), ModeReason: s.Config.ModeWhy,
		Sessions: []sessionStatus{}, Errors: []errorStatus{}, Turns: []turnStatus{}, Queue: queueStatus{Limit: s.Config.Queue}, Faults: s.fileFaults(),
	}
	err := s.gate.Refusal()
	if s.gate.State() != gate.Starting {
		if err == nil {
			err = s.runner.Ready()
		}
		doc.Subagents = s.subagentsOf(caller)
		doc.Servers = s.servers.status()
		doc.Lost, doc.LostMore = lostStatusOf(s.surface.For(surface.Viewer{Caller: caller}).Lost())
		doc.Queue.Running, doc.Queue.Waiting = s.runner.Load()
		if t := s.runner.Tools(); t != nil {
			doc.GivenTools = &givenTools{Given: t.Given, Server: spec.ServerName, Reason: text.Shorten(t.Why, statusText)}
		}
		doc.Governed = governedOf(s.runner.Governed())
		doc.Agent = aboutOf(s.runner.About())
		for _, one := range s.runner.Status() {
			doc.Sessions = append(doc.Sessions, sessionFor(&one, caller))
		}
		doc.Todos = todosFor(s.toolSessions.All(), caller)
		doc.Turns = append(doc.Turns, turnsFor(s.runner.Turns(), caller)...)
	}
	if err != nil {
		doc.Reason = err.Error()
	}
	failed, err := s.tasks.List(ctx, &a2a.ListRequest{
		Params: a2a.Params{Caller: caller}, State: a2a.StateFailed, PageSize: lastErrors, HistoryLength: new(int),
	})
	if err != nil {
		return nil, err
	}
	for _, t := range failed.Tasks {
		doc.Errors = append(doc.Errors, errorOf(t))
	}
	return doc, nil
}

// sessionFor returns what a caller may know of a session. A session that belongs to
// nobody yet may be seen by everybody.
func sessionFor(one *turn.SessionStatus, caller string) sessionStatus {
	v := &one.Verdict
	st := sessionStatus{
		PID: one.PID, Started: one.Started, Turns: one.Turns, Many: one.Many,
		Agent: agentStatus{
			State: string(v.State), Kind: v.Kind, Since: v.Since, Source: v.Source, Rule: v.Rule,
			Confidence: v.Confidence, Failed: v.Failed, Message: v.Message,
		},
	}
	if one.Owner != "" && one.Owner != caller {
		st.Other, st.Agent.Message = true, ""
		return st
	}
	st.Context, st.Task = one.Context, one.Task
	return st
}

// errorOf returns why a task failed, as its last status says it.
func errorOf(t *a2a.Task) errorStatus {
	e := errorStatus{Task: t.ID, Context: t.ContextID, Time: t.Status.Timestamp.UTC().Format(time.RFC3339Nano)}
	e.Text = text.Shorten(messageText(t.Status.Message), statusText)
	return e
}

// messageText returns the text parts of a message, "" for none.
func messageText(m *a2a.Message) string {
	if m == nil {
		return ""
	}
	var texts []string
	for _, p := range m.Parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
