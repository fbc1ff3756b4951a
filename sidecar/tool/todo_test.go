package tool_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

func TestTodo(t *testing.T) {
	entry := func(content, status string) string { return fmt.Sprintf(`{"content":%q,"status":%q}`, content, status) }
	list := func(entries ...string) string { return `{"todos":[` + strings.Join(entries, ",") + `]}` }
	many := func(n int) string {
		return list(strings.Split(strings.TrimSuffix(strings.Repeat(entry("a", "pending")+"\n", n), "\n"), "\n")...)
	}
	for _, c := range []struct {
		name, args string
		says, err  string
		kept       int // entries, -1 for those of before
	}{
		{"one", list(entry("build", "in_progress")), "The list has 1 of 1 left to do.", "", 1},
		{"none", list(), "The list has 0 of 0 left to do.", "", 0},
		{"all is done", list(entry("a", "completed"), entry("b", "cancelled")), "The list has 0 of 2 left to do.", "", 2},
		{"nothing is begun", list(entry("a", "pending"), entry("b", "completed")), "The list has 1 of 2 left to do. No entry is in_progress: mark the one that you work on.", "", 2},
		{"two at once", list(entry("a", "in_progress"), entry("b", "in_progress")), "The list has 2 of 2 left to do. 2 entries are in_progress: keep one.", "", 2},
		{"unicode and a new line", list(entry("Überprüfe\r\n日本", "in_progress")), "The list has 1 of 1 left to do.", "", 1},
		{"controls", list(`{"content":"a\u001b[2Jb","status":"in_progress"}`), "The list has 1 of 1 left to do.", "", 1},
		{"nothing but controls", list(`{"content":" \u0007","status":"pending"}`), "", "/todos/0/content is empty: write what is to be done; the list is as it was before", -1},
		{"empty", list(entry("", "pending")), "", "/todos/0/content", -1},
		{"a status that nobody knows", list(entry("a", "done")), "", "/todos/0/status", -1},
		{"a priority that nobody knows", `{"todos":[{"content":"a","status":"pending","priority":"urgent"}]}`, "", "/todos/0/priority", -1},
		{"no status", `{"todos":[{"content":"a"}]}`, "", "status", -1},
		{"no list", `{}`, "", "todos", -1},
		{"a property that nobody knows", `{"todos":[{"content":"a","status":"pending","id":"1"}]}`, "", "id", -1},
		{"as many as may be", many(tool.MaxTodos), "The list has 200 of 200 left to do. No entry is in_progress: mark the one that you work on.", "", tool.MaxTodos},
		{"too many", many(tool.MaxTodos + 1), "", "/todos", -1},
		{"as long as may be", list(entry(strings.Repeat("ü", 1000), "in_progress")), "The list has 1 of 1 left to do.", "", 1},
		{"too long", list(entry(strings.Repeat("ü", 1001), "in_progress")), "", "/todos/0/content", -1},
	} {
		session := tool.NewSessions(1).Of("", "c")
		session.SetTodos(make([]tool.Todo, 3))
		var out bytes.Buffer
		res, err := called(t, "todo", c.args, &tool.Call{Out: &out, Session: session})
		want := c.kept
		if want < 0 {
			want = 3
		}
		switch got := session.Todos(); {
		case len(got) != want:
			t.Errorf("%s: the list has %d entries, want %d", c.name, len(got), want)
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.name, err, c.err)
			}
		case err != nil || out.String() != c.says || res.Notes[tool.TodosKey] == nil:
			t.Errorf("%s: %v, %q, want %q", c.name, err, out.String(), c.says)
		default:
			for _, one := range got {
				if one.Priority != "medium" || strings.Contains(one.Content, "\x1b") {
					t.Errorf("%s: %+q", c.name, one)
				}
			}
		}
	}
	if _, err := called(t, "todo", list(), &tool.Call{Out: broken{}, Session: tool.NewSessions(1).Of("", "c")}); err == nil || err.Error() != "nobody listens" {
		t.Errorf("nobody listens: %v", err)
	}
}

// What is shown of a list is bounded, and counts all of it.
func TestShownTodos(t *testing.T) {
	var all []tool.Todo
	for range 200 {
		all = append(all, tool.Todo{Content: strings.Repeat("ü", 1000) + "\nx", Status: "pending"})
	}
	shown := tool.ShownTodos(all)
	if len(shown.Todos) != 50 || shown.Open != 200 || shown.Total != 200 || len(shown.Todos[0].Content) > 200+len("…") {
		t.Errorf("%d entries of %d, %d open, %d bytes", len(shown.Todos), shown.Total, shown.Open, len(shown.Todos[0].Content))
	}
	if len(all[0].Content) != 2002 {
		t.Error("the list itself is cut")
	}
}

// Two callers with conversations of the same ID share nothing, whoever comes first or last. The end of a conversation is told of once, and
// that of none is not.
func TestSessionsOwner(t *testing.T) {
	told := 0
	all := tool.NewSessions(2)
	all.Changed = func() { told++ }
	ann, bob := all.Of("ann", "c"), all.Of("bob", "c")
	ann.SetTodos(make([]tool.Todo, 1))
	if len(bob.Todos()) != 0 || all.Of("ann", "c") != ann || all.Find("bob", "c") != bob || all.Find("", "c") != nil || ann.Owner != "ann" || bob.Owner != "bob" {
		t.Errorf("%+v, %+v", ann.Todos(), bob.Todos())
	}
	all.Of("ann", "d") // bob's was not used for the longest time
	if all.Find("bob", "c") != nil || all.Find("ann", "c") != ann {
		t.Error("another one than the oldest was dropped")
	}
	all = tool.NewSessions(3)
	all.Changed = func() { told++ }
	for _, owner := range []string{"ann", "bob"} {
		all.Of(owner, "c")
	}
	all.Of("ann", "d")
	for range 2 {
		all.End("c")
	}
	if left := all.All(); len(left) != 1 || left[0].ID != "d" || told != 1 {
		t.Errorf("after the end of the conversation: %d are left, told %d times", len(left), told)
	}
}
