package call_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// told is what the updates of a call say in addition to their status.
type told struct {
	Status  string           `json:"status"`
	Kind    string           `json:"kind"`
	Title   string           `json:"title"`
	Places  []peer.Place     `json:"locations"`
	Content []driver.Content `json:"content"`
}

// tells returns what the updates of one call say, each once.
func (b *bar) tells(id string, named map[string]any) (all []told) {
	b.t.Helper()
	inv, f := b.follow(call.Request{Tool: id, Arguments: arguments(b.t, named)})
	for _, e := range f.all() {
		if toolCall(b.t, e) == nil {
			continue
		}
		var one told
		if err := json.Unmarshal(e.Status.Metadata[call.ExtensionURI], &one); err != nil {
			b.t.Fatal(err)
		}
		if len(all) == 0 || !cmp.Equal(all[len(all)-1], one) {
			all = append(all, one)
		}
	}
	b.ended(inv)
	return all
}

// Every update has a kind and a title; the first tells what files the call is about, and the last how
// they have changed.
func TestUpdatesTellWhatACallDoes(t *testing.T) {
	b := newCore(t, allowAll)
	b.put("src/a.go", "one\ntwo\n")
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		tool  string
		named map[string]any
		want  []told
	}{
		{"read", map[string]any{"file_path": "src/a.go", "offset": 2}, []told{
			{"EXECUTING", "read", "read src/a.go", []peer.Place{{Path: b.dir + "/src/a.go", Line: 2}}, nil},
			{"EXECUTING", "read", "read src/a.go", nil, nil},
			{"SUCCEEDED", "read", "read src/a.go", nil, nil},
		}},
		{"edit", map[string]any{"file_path": "src/a.go", "old_string": "two", "new_string": "2"}, []told{
			{"EXECUTING", "edit", "edit src/a.go", []peer.Place{{Path: b.dir + "/src/a.go"}}, nil},
			{"EXECUTING", "edit", "edit src/a.go", nil, nil},
			{"SUCCEEDED", "edit", "edit src/a.go", nil, []driver.Content{{Type: "diff", Path: b.dir + "/src/a.go", Old: text("one\ntwo\n"), New: text("one\n2\n")}}},
		}},
		{"core.write", map[string]any{"file_path": "new\x1b[2J", "content": "x"}, []told{
			{"EXECUTING", "edit", "write new[2J", []peer.Place{{Path: b.dir + "/new[2J"}}, nil},
			{"EXECUTING", "edit", "write new[2J", nil, nil},
			{"SUCCEEDED", "edit", "write new[2J", nil, []driver.Content{{Type: "diff", Path: b.dir + "/new[2J", New: text("x")}}},
		}},
		{"apply_patch", map[string]any{"patch": patchOf("src/a.go", "one", "1") + "--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+x\n"}, []told{
			{"EXECUTING", "edit", "apply_patch src/a.go", []peer.Place{{Path: b.dir + "/src/a.go"}, {Path: b.dir + "/made"}}, nil},
			{"EXECUTING", "edit", "apply_patch src/a.go", nil, nil},
			{"SUCCEEDED", "edit", "apply_patch src/a.go", nil, []driver.Content{
				{Type: "diff", Path: b.dir + "/src/a.go", Old: text("one\n2\n"), New: text("1\n2\n")}, {Type: "diff", Path: b.dir + "/made", New: text("x\n")},
			}},
		}},
		{"todo", map[string]any{"todos": []any{}}, []told{{"EXECUTING", "think", "todo", nil, nil}, {"SUCCEEDED", "think", "todo", nil, nil}}},
		{"read", map[string]any{}, []told{{"FAILED", "read", "read", nil, nil}}},
		{"acme.none", nil, []told{{"FAILED", "other", "acme.none", nil, nil}}},
	} {
		if diff := cmp.Diff(c.want, b.tells(c.tool, c.named)); diff != "" {
			t.Errorf("%s %v: -want +got\n%s", c.tool, c.named, diff)
		}
	}
}

// What is told of a change is bounded, whatever its size.
func TestWhatUpdatesTellIsBounded(t *testing.T) {
	b := newCore(t, allowAll)
	all := b.tells("write", map[string]any{"file_path": "big", "content": strings.Repeat("ü\n", 100_000)})
	last := all[len(all)-1].Content
	if len(last) != 1 || !last[0].Truncated || len(*last[0].New) > 4<<10 || len(*last[0].New) < 4<<10-3 {
		t.Fatalf("%+v", last)
	}
	inv, f := b.follow(call.Request{Tool: "write", Arguments: arguments(t, map[string]any{"file_path": strings.Repeat("d/", 1000) + "x", "content": "x"})})
	for _, e := range f.all() {
		if e.Status != nil && len(e.Status.Metadata[call.ExtensionURI]) > 16<<10 {
			t.Errorf("an update of %d bytes", len(e.Status.Metadata[call.ExtensionURI]))
		}
	}
	if e := b.ended(inv); e.task.Status.State == a2a.StateWorking {
		t.Error(e.task.Status)
	}
}
