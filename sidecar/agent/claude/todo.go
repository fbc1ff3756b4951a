package claude

import (
	"encoding/json"
	"slices"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// maxTodo is how many entries a plan of claude's may have.
const maxTodo = 256

// todo is claude's list of what is to be done: it is written as a whole (TodoWrite) or entry by entry
// (TaskCreate, TaskUpdate, TaskList), over the turns of a process.
type todo struct {
	list []todoEntry
}

type todoEntry struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Content string `json:"content"` // of TodoWrite
	Status  string `json:"status"`
}

// entries returns the list as a plan.
func (t *todo) entries() []peer.PlanEntry {
	plan := make([]peer.PlanEntry, 0, len(t.list))
	for _, e := range t.list {
		plan = append(plan, peer.PlanEntry{Content: e.Subject + e.Content, Status: e.Status})
	}
	return plan
}

// written takes a list that is written as a whole, and reports whether it is one.
func (t *todo) written(b block) bool {
	var input struct {
		Todos []todoEntry `json:"todos"`
	}
	if b.Name != "TodoWrite" || json.Unmarshal(b.Input, &input) != nil {
		return false
	}
	t.list = input.Todos[:min(len(input.Todos), maxTodo)]
	return true
}

// changed takes the result of a tool that changes or shows the list, and reports whether it is one.
func (t *todo) changed(used block, result json.RawMessage) bool {
	var r struct {
		Task    *todoEntry  `json:"task"`    // of TaskCreate
		Tasks   []todoEntry `json:"tasks"`   // of TaskList
		Success bool        `json:"success"` // of TaskUpdate
	}
	if json.Unmarshal(result, &r) != nil {
		return false
	}
	switch used.Name {
	case "TaskCreate":
		if r.Task == nil || len(t.list) >= maxTodo {
			return false
		}
		t.list = append(t.list, todoEntry{ID: r.Task.ID, Subject: r.Task.Subject, Status: "pending"})
	case "TaskUpdate":
		return r.Success && t.update(used.Input)
	case "TaskList":
		t.list = r.Tasks[:min(len(r.Tasks), maxTodo)]
	default:
		return false
	}
	return true
}

// update changes one entry by the arguments of TaskUpdate.
func (t *todo) update(input json.RawMessage) bool {
	var change struct {
		ID      string `json:"taskId"`
		Status  string `json:"status"`
		Subject string `json:"subject"`
	}
	if json.Unmarshal(input, &change) != nil {
		return false
	}
	at := slices.IndexFunc(t.list, func(e todoEntry) bool { return e.ID == change.ID })
	switch {
	case at < 0:
		return false
	case change.Status == "deleted":
		t.list = slices.Delete(t.list, at, at+1)
		return true
	case change.Status != "":
		t.list[at].Status = change.Status
	}
	if change.Subject != "" {
		t.list[at].Subject = change.Subject
	}
	return true
}
