package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// Todo is one entry of a session's list.
type Todo struct {
	Content  string `json:"content"`
	Status   string `json:"status"`
	Priority string `json:"priority"`
}

// The bounds of a list.
const (
	MaxTodos    = 200
	maxTodoText = 1000 // characters, as the schema counts
)

// todo replaces the session's list.
func todo() *Tool {
	return define(manifest.Definition{
		Name: "todo",
		Description: "Write your list of what is to be done: it replaces the one before. Use it for work of three or more steps, keep exactly one entry in_progress, " +
			"and mark an entry completed as soon as it is. People can see the list.",
		InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"todos":{"type":"array","maxItems":%d,"description":"the whole list, in order","items":{"type":"object","properties":{
			"content":{"type":"string","minLength":1,"maxLength":%d,"description":"what is to be done"},
			"status":{"type":"string","enum":["pending","in_progress","completed","cancelled"]},
			"priority":{"type":"string","enum":["high","medium","low"],"default":"medium"}},
			"required":["content","status"],"additionalProperties":false}}},"required":["todos"],"additionalProperties":false}`, MaxTodos, maxTodoText)),
		Effects: manifest.EffectsRead, Kind: "think", Requires: &manifest.Requires{},
	}, func(_ context.Context, c *Call) (*Result, error) {
		var args struct{ Todos []Todo }
		if err := json.Unmarshal(c.Args, &args); err != nil {
			return nil, err
		}
		open, now := 0, 0
		for i := range args.Todos {
			t := &args.Todos[i]
			if t.Content = strings.TrimSpace(text.Strip(t.Content)); t.Content == "" {
				return nil, fmt.Errorf("/todos/%d/content is empty: write what is to be done; the list is as it was before", i)
			}
			if t.Priority == "" {
				t.Priority = "medium"
			}
			if t.Status == "in_progress" {
				now++
			}
			if t.Open() {
				open++
			}
		}
		c.Session.SetTodos(args.Todos)
		says := fmt.Sprintf("The list has %d of %d left to do.", open, len(args.Todos))
		switch {
		case now > 1:
			says += fmt.Sprintf(" %d entries are in_progress: keep one.", now)
		case now == 0 && open > 0:
			says += " No entry is in_progress: mark the one that you work on."
		}
		if _, err := io.WriteString(c.Out, says); err != nil {
			return nil, err
		}
		shown, err := text.JSON(ShownTodos(args.Todos))
		return &Result{Notes: map[string]json.RawMessage{TodosKey: shown}}, err
	})
}

// Open reports whether the entry is left to do.
func (t *Todo) Open() bool { return t.Status == "pending" || t.Status == "in_progress" }

// TodosKey is the key of a list in the metadata of a task: the entries as ShownTodos returns them.
const TodosKey = "todos"

// What of a list is shown to those who look at a task or at the status: so many entries, and of each so
// many bytes.
const (
	todosShown    = 50
	todoTextShown = 200
)

// TodosShown is a list as it is shown.
type TodosShown struct {
	Todos []Todo `json:"entries"`
	// Open is how many entries of the whole list are left to do, and Total how many it has.
	Open  int `json:"open"`
	Total int `json:"total"`
}

// ShownTodos returns the beginning of a list, with its texts shortened.
func ShownTodos(all []Todo) TodosShown {
	s := TodosShown{Total: len(all), Todos: slices.Clone(all[:min(len(all), todosShown)])}
	if s.Todos == nil {
		s.Todos = []Todo{}
	}
	for i := range s.Todos {
		s.Todos[i].Content = text.Line(s.Todos[i].Content, todoTextShown)
	}
	for i := range all {
		if all[i].Open() {
			s.Open++
		}
	}
	return s
}

// SetTodos replaces the list.
func (s *Session) SetTodos(all []Todo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.todos = slices.Clone(all)
}

// Todos returns the list, in its order.
func (s *Session) Todos() []Todo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.todos)
}
