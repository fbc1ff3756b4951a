package codec

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
)

// dialects are all codecs with their names.
var dialects = []struct {
	name string
	Dialect
}{
	{"1.0", codec10{}},
	{"0.3", codec03{}},
	{"0.3 REST", codec03REST{}},
}

var goldenTime = time.Date(2026, 3, 4, 5, 6, 7, 89_500_000, time.FixedZone("", 3600))

// goldenParts is a part of every kind.
var goldenParts = []a2a.Part{
	{Kind: a2a.PartText, Text: "hé\n", Metadata: a2a.Metadata{"k": json.RawMessage(`[1, 2]`)}},
	{Kind: a2a.PartRaw, Raw: []byte("\x00\x01\xff"), MediaType: "image/png", Filename: "a.png"},
	{Kind: a2a.PartURL, URL: "https://example.com/a?b=1&c=2", MediaType: "text/html"},
	{Kind: a2a.PartData, Data: json.RawMessage(`{"b": 1e400, "a": [ ]}`)},
	{Kind: a2a.PartData, Data: json.RawMessage(`[1]`)},
}

func goldenTask() *a2a.Task {
	return &a2a.Task{
		ID: "t", ContextID: "c",
		Status: a2a.Status{
			State:     a2a.StateInputRequired,
			Message:   &a2a.Message{ID: "m2", ContextID: "c", TaskID: "t", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("why?")}},
			Timestamp: goldenTime,
		},
		Artifacts: []a2a.Artifact{{ID: "a", Name: "response", Description: "d", Parts: goldenParts, Extensions: []string{"urn:x"}}},
		History:   []a2a.Message{{ID: "m1", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("hi")}, ReferenceTaskIDs: []string{"t0"}}},
		Metadata:  a2a.Metadata{"z": json.RawMessage(`1`), "a": json.RawMessage(`"x"`)},
	}
}

// oneLine removes the layout of a golden text.
func oneLine(golden string) string {
	var b strings.Builder
	for line := range strings.Lines(golden) {
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String()
}

func TestGoldenTask(t *testing.T) {
	golden := map[string]string{
		"1.0": `{"id":"t","contextId":"c",
			"status":{"state":"TASK_STATE_INPUT_REQUIRED",
				"message":{"messageId":"m2","contextId":"c","taskId":"t","role":"ROLE_AGENT","parts":[{"text":"why?"}]},
				"timestamp":"2026-03-04T04:06:07.089Z"},
			"artifacts":[{"artifactId":"a","name":"response","description":"d","parts":[
				{"text":"hé\n","metadata":{"k":[1,2]}},
				{"raw":"AAH/","mediaType":"image/png","filename":"a.png"},
				{"url":"https://example.com/a?b=1&c=2","mediaType":"text/html"},
				{"data":{"b":1e400,"a":[]}},
				{"data":[1]}],
				"extensions":["urn:x"]}],
			"history":[{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hi"}],"referenceTaskIds":["t0"]}],
			"metadata":{"a":"x","z":1}}`,
		"0.3": `{"kind":"task","id":"t","contextId":"c",
			"status":{"state":"input-required",
				"message":{"kind":"message","messageId":"m2","contextId":"c","taskId":"t","role":"agent","parts":[{"kind":"text","text":"why?"}]},
				"timestamp":"2026-03-04T04:06:07.089Z"},
			"artifacts":[{"artifactId":"a","name":"response","description":"d","parts":[
				{"kind":"text","text":"hé\n","metadata":{"k":[1,2]}},
				{"kind":"file","file":{"bytes":"AAH/","mimeType":"image/png","name":"a.png"}},
				{"kind":"file","file":{"uri":"https://example.com/a?b=1&c=2","mimeType":"text/html"}},
				{"kind":"data","data":{"b":1e400,"a":[]}},
				{"kind":"data","data":{"value":[1]},"metadata":{"data_part_compat":true}}],
				"extensions":["urn:x"]}],
			"history":[{"kind":"message","messageId":"m1","role":"user","parts":[{"kind":"text","text":"hi"}],"referenceTaskIds":["t0"]}],
			"metadata":{"a":"x","z":1}}`,
		"0.3 REST": `{"id":"t","contextId":"c",
			"status":{"state":"TASK_STATE_INPUT_REQUIRED",
				"message":{"messageId":"m2","contextId":"c","taskId":"t","role":"ROLE_AGENT","content":[{"text":"why?"}]},
				"timestamp":"2026-03-04T04:06:07.089Z"},
			"artifacts":[{"artifactId":"a","name":"response","description":"d","parts":[
				{"text":"hé\n","metadata":{"k":[1,2]}},
				{"file":{"fileWithBytes":"AAH/","mimeType":"image/png","name":"a.png"}},
				{"file":{"fileWithUri":"https://example.com/a?b=1&c=2","mimeType":"text/html"}},
				{"data":{"data":{"b":1e400,"a":[]}}},
				{"data":{"data":{"value":[1]}},"metadata":{"data_part_compat":true}}],
				"extensions":["urn:x"]}],
			"history":[{"messageId":"m1","role":"ROLE_USER","content":[{"text":"hi"}]}],
			"metadata":{"a":"x","z":1}}`,
	}
	for _, d := range dialects {
		if diff := cmp.Diff(oneLine(golden[d.name]), string(d.EncodeTask(goldenTask()))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", d.name, diff)
		}
	}
}

// A task with everything that the model has is read by strict parsers.
func TestStrictGoldenTask(t *testing.T) {
	for version, c := range map[string]Dialect{"1.0": codec10{}, "0.3": codec03REST{}} {
		if err := a2atest.NewStrictParser(version).Parse("Task", c.EncodeTask(goldenTask())); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestGoldenEvents(t *testing.T) {
	message := &a2a.Message{ID: "m", Role: a2a.RoleAgent}
	chunk := &a2a.ArtifactUpdate{TaskID: "t", ContextID: "c", Artifact: a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("x")}}, Append: true, LastChunk: true}
	tests := []struct {
		name  string
		event *a2a.Event
		want  map[string]string
	}{
		{"task", &a2a.Event{Task: &a2a.Task{ID: "t", ContextID: "c", Status: a2a.Status{State: a2a.StateSubmitted}}}, map[string]string{
			"1.0":      `{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}}`,
			"0.3":      `{"kind":"task","id":"t","contextId":"c","status":{"state":"submitted"}}`,
			"0.3 REST": `{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}}`,
		}},
		{"message", &a2a.Event{Message: message}, map[string]string{
			"1.0":      `{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[]}}`,
			"0.3":      `{"kind":"message","messageId":"m","role":"agent","parts":[]}`,
			"0.3 REST": `{"message":{"messageId":"m","role":"ROLE_AGENT","content":[]}}`,
		}},
		{"artifact", &a2a.Event{Artifact: chunk}, map[string]string{
			"1.0":      `{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"x"}]},"append":true,"lastChunk":true}}`,
			"0.3":      `{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"x"}]},"append":true,"lastChunk":true}`,
			"0.3 REST": `{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"x"}]},"append":true,"lastChunk":true}}`,
		}},
		{"status", &a2a.Event{Status: &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.Status{State: a2a.StateCanceled}, Metadata: a2a.Metadata{"k": json.RawMessage("null")}}}, map[string]string{
			"1.0":      `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELED"},"metadata":{"k":null}}}`,
			"0.3":      `{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"canceled"},"final":true,"metadata":{"k":null}}`,
			"0.3 REST": `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELLED"},"final":true,"metadata":{"k":null}}}`,
		}},
	}
	for _, tt := range tests {
		for _, d := range dialects {
			if diff := cmp.Diff(tt.want[d.name], string(d.EncodeEvent(tt.event, tt.event.Ends(true)))); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", tt.name, d.name, diff)
			}
		}
	}
}

// The last update of a 0.3 stream says so, and no other: a stream that goes on
// after input-required is not left by its reader.
func TestFinal(t *testing.T) {
	asks := &a2a.Event{Status: &a2a.StatusUpdate{Status: a2a.Status{State: a2a.StateInputRequired}}}
	for _, c := range []Dialect{codec03{}, codec03REST{}} {
		for range 2 { // the second time from the kept frames
			for last, want := range map[bool]string{true: `"final":true`, false: `"final":false`} {
				if got := string(c.EncodeEvent(asks, last)); !strings.Contains(got, want) {
					t.Errorf("%T, last %v: %s", c, last, got)
				}
			}
		}
	}
	if got := string(codec10{}.EncodeEvent(asks, true)); strings.Contains(got, "final") {
		t.Errorf("1.0 has no final: %s", got)
	}
}

// Send streams end where the task waits for its client, all where it ends.
func TestEndsStream(t *testing.T) {
	ends := map[a2a.TaskState][2]bool{ // send, subscribe
		a2a.StateSubmitted: {}, a2a.StateWorking: {}, a2a.StateAuthRequired: {}, a2a.StateInputRequired: {true, false},
		a2a.StateCompleted: {true, true}, a2a.StateFailed: {true, true}, a2a.StateCanceled: {true, true}, a2a.StateRejected: {true, true},
	}
	for state, want := range ends {
		e := &a2a.Event{Status: &a2a.StatusUpdate{Status: a2a.Status{State: state}}}
		if got := [2]bool{e.Ends(true), e.Ends(false)}; got != want {
			t.Errorf("%s: %v, want %v", state, got, want)
		}
	}
}

func TestStates(t *testing.T) {
	names := map[a2a.TaskState]string{
		a2a.StateUnspecified: "unknown", a2a.StateSubmitted: "submitted", a2a.StateWorking: "working", a2a.StateCompleted: "completed",
		a2a.StateFailed: "failed", a2a.StateCanceled: "canceled", a2a.StateInputRequired: "input-required", a2a.StateRejected: "rejected",
		a2a.StateAuthRequired: "auth-required",
	}
	for state, old := range names {
		if got := state03(state); got != old {
			t.Errorf("state03(%s) = %q, want %q", state, got, old)
		}
		if got := state10(state); got != string(state) {
			t.Errorf("state10(%s) = %q", state, got)
		}
		for _, text := range []string{old, state10(state), state03REST(state)} {
			r, err := decoder{}.DecodeList(known(`{"status":"` + text + `"}`))
			if err != nil {
				t.Errorf("%q: %v", text, err)
			} else if r.State != state && state != a2a.StateUnspecified {
				t.Errorf("%q read as %q", text, r.State)
			}
		}
	}
}

// The bridge's version is on the tasks of 0.3 over JSON-RPC, and on no others.
func TestBridgeVersionOnTasks(t *testing.T) {
	task := goldenTask()
	const field = `,"x-spring-voyage-bridge-version":"1.2"}`
	c := codec03{bridge: "1.2"}
	for what, b := range map[string][]byte{
		"task":  c.EncodeTask(task),
		"list":  c.EncodeList(&a2a.TaskList{Tasks: []*a2a.Task{task}}),
		"send":  c.EncodeSend(&a2a.SendResult{Task: task}),
		"event": c.EncodeEvent(&a2a.Event{Task: task}, false),
	} {
		if !strings.Contains(string(b), field) {
			t.Errorf("%s without the bridge's version: %s", what, b)
		}
	}
}

// Two servers with different bridge versions may serve one event.
func TestBridgeVersionIsNotCached(t *testing.T) {
	e := &a2a.Event{Task: goldenTask()}
	for _, version := range []string{"", "1", "2", ""} {
		got := string(codec03{bridge: version}.EncodeEvent(e, false))
		if want := `-version":"` + version + `"`; strings.Contains(got, want) != (version != "") {
			t.Errorf("bridge %q: %s", version, got)
		}
	}
}

func TestGoldenList(t *testing.T) {
	for _, d := range dialects {
		got := string(d.EncodeList(&a2a.TaskList{PageSize: 50}))
		if want := `{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}`; got != want {
			t.Errorf("%s: %s, want %s", d.name, got, want)
		}
	}
}

// Lists that were not asked for are absent, asked for and empty they are [].
func TestListsOfTask(t *testing.T) {
	for _, d := range dialects {
		absent := string(d.EncodeTask(&a2a.Task{ID: "t"}))
		if strings.Contains(absent, "artifacts") || strings.Contains(absent, "history") || strings.Contains(absent, "null") {
			t.Errorf("%s: %s", d.name, absent)
		}
		empty := string(d.EncodeTask(&a2a.Task{ID: "t", Artifacts: []a2a.Artifact{}, History: []a2a.Message{}}))
		if !strings.Contains(empty, `"artifacts":[],"history":[]`) {
			t.Errorf("%s: %s", d.name, empty)
		}
	}
}

// An event is encoded once, however many read it.
func TestEventIsEncodedOnce(t *testing.T) {
	e := &a2a.Event{Status: &a2a.StatusUpdate{TaskID: "t"}}
	for _, d := range dialects {
		if a, b := d.EncodeEvent(e, false), d.EncodeEvent(e, false); &a[0] != &b[0] {
			t.Errorf("%s: encoded twice", d.name)
		}
	}
	if a, b := EncodeEvent(e, a2a.V10), (codec10{}).EncodeEvent(e, false); &a[0] != &b[0] {
		t.Error("Encode(V10) is another encoding")
	}
	if a, b := EncodeEvent(e, a2a.V03), (codec03{}).EncodeEvent(e, false); &a[0] != &b[0] {
		t.Error("Encode(V03) is another encoding")
	}
}
