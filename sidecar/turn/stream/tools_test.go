package stream

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// tell gives updates to an agent's turn, which then ends, and returns what was told of the tools.
func tell(t *testing.T, end peer.Ending, updates ...peer.Tool) (told []string, notes map[string]any) {
	t.Helper()
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		for _, update := range updates {
			p.on.Tool(update)
		}
		p.ends(end)
		<-u.outcome
		told, notes = u.reports(t, driver.ToolCallURI), u.notes
	})
	return told, notes
}

// lives returns "id STATUS" of each update.
func lives(t *testing.T, told []string) (all []string) {
	t.Helper()
	for _, one := range told {
		var u update
		if err := json.Unmarshal([]byte(one), &u); err != nil {
			t.Fatalf("%.100s: %v", one, err)
		}
		all = append(all, u.ID+" "+u.Status)
	}
	return all
}

// TestLifeOfATool: what each update makes of it.
func TestLifeOfATool(t *testing.T) {
	use := func(id string, s peer.Status) peer.Tool { return peer.Tool{ID: id, Status: s} }
	ok, bad := peer.Ending{OK: true}, peer.Ending{Reason: "no credit"}
	for _, c := range []struct {
		name    string
		end     peer.Ending
		updates []peer.Tool
		want    []string
	}{
		{"all of it", ok, []peer.Tool{use("1", peer.Pending), use("1", peer.Running), use("1", peer.Completed)}, []string{"1 PENDING", "1 EXECUTING", "1 SUCCEEDED"}},
		{"told late", ok, []peer.Tool{use("1", peer.Failed)}, []string{"1 FAILED"}},
		{"without a status", ok, []peer.Tool{{ID: "1", Title: "t"}, use("1", peer.Completed)}, []string{"1 PENDING", "1 SUCCEEDED"}},
		{"twice", ok, []peer.Tool{use("1", peer.Running), use("1", peer.Running), use("1", peer.Completed), use("1", peer.Completed)}, []string{"1 EXECUTING", "1 SUCCEEDED"}},
		{"backwards", ok, []peer.Tool{use("1", peer.Running), use("1", peer.Pending), use("1", peer.Completed), use("1", peer.Running), use("1", peer.Failed)}, []string{"1 EXECUTING", "1 SUCCEEDED"}},
		{"an id again", ok, []peer.Tool{use("1", peer.Completed), {ID: "1", Name: "n", Status: peer.Running}, use("1", peer.Failed), {ID: "1", Name: "n", Status: peer.Pending}},
			[]string{"1 SUCCEEDED", "1#2 EXECUTING", "1#2 FAILED", "1#3 PENDING", "1#3 CANCELLED"}},
		{"after its end", ok, []peer.Tool{use("1", peer.Completed), {ID: "1", Title: "what it was"}}, []string{"1 SUCCEEDED", "1 SUCCEEDED"}},
		{"without an id", ok, []peer.Tool{use("", peer.Completed)}, []string{"unnamed SUCCEEDED"}},
		{"an unknown status", ok, []peer.Tool{use("1", "resting")}, []string{"1 PENDING", "1 CANCELLED"}},
		{"left open", ok, []peer.Tool{use("1", peer.Running), use("2", peer.Pending)}, []string{"1 EXECUTING", "2 PENDING", "1 CANCELLED", "2 CANCELLED"}},
		{"left open by a failure", bad, []peer.Tool{use("1", peer.Running)}, []string{"1 EXECUTING", "1 FAILED"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			told, _ := tell(t, c.end, c.updates...)
			if got := lives(t, told); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestWhatIsToldOfATool: the object of the tool-call extension, with what else is known.
func TestWhatIsToldOfATool(t *testing.T) {
	before := "a\n"
	told, _ := tell(t, peer.Ending{OK: true},
		peer.Tool{ID: "1", Name: "Edit", Kind: peer.Edit, Title: "Edit\na", Status: peer.Running, Input: []byte(`{"path": "a"}`), Places: []peer.Place{{Path: "/a", Line: 3}}},
		peer.Tool{ID: "1", Status: peer.Completed, Diffs: []peer.Diff{{Path: "/a", Old: &before, New: "b\u202e\n"}}, Terminal: "t1", Output: []byte("\x1b[31mdone\x1b[0m\n")},
		peer.Tool{ID: "2", Kind: "paint", Status: peer.Completed, Input: []byte(`[1]`)},
		peer.Tool{ID: "3", Status: peer.Completed, Input: []byte(`{"x`)},
		peer.Tool{ID: "4", Status: peer.Completed, Input: []byte(`{"x":"` + strings.Repeat("x", 8<<10) + `"}`)},
		peer.Tool{ID: "5", Status: peer.Completed, Input: []byte(`{"x":"` + strings.Repeat("x", 2*maxInput) + `"}`)},
	)
	want := []string{
		`{"tool_call_id":"1","status":"EXECUTING","tool_name":"Edit","input_parameters":{"path":"a"},"kind":"edit","title":"Edit a","locations":[{"path":"/a","line":3}]}`,
		`{"tool_call_id":"1","status":"SUCCEEDED","tool_name":"Edit","input_parameters":{"path":"a"},"live_content":"done\n","kind":"edit","title":"Edit a","locations":[{"path":"/a","line":3}],` +
			`"content":[{"type":"diff","path":"/a","old_text":"a\n","new_text":"b\\u202e\n"},{"type":"terminal","terminal_id":"t1"}]}`,
		`{"tool_call_id":"2","status":"SUCCEEDED","tool_name":"agent.other","input_parameters":{},"kind":"other"}`,
		`{"tool_call_id":"3","status":"SUCCEEDED","tool_name":"agent.other","input_parameters":{},"kind":"other"}`,
		`{"tool_call_id":"4","status":"SUCCEEDED","tool_name":"agent.other","input_parameters":{"truncated":true,"bytes":8200},"kind":"other"}`,
		`{"tool_call_id":"5","status":"SUCCEEDED","tool_name":"agent.other","input_parameters":{"truncated":true,"bytes":2097160},"kind":"other"}`,
	}
	if !slices.Equal(told, want) {
		t.Errorf("%s", strings.Join(told, "\n"))
	}
}

// TestNewOutput: each update tells only what is new, however the agent repeats the rest.
func TestNewOutput(t *testing.T) {
	long := strings.Repeat("0123456789", 100)
	for _, c := range []struct {
		name    string
		outputs []string
		want    []string
	}{
		{"growing", []string{"a", "ab", "ab", "abc"}, []string{"a", "b", "c"}},
		{"a character in two", []string{"a\xc3", "a\xc3\xa9"}, []string{"a", "é"}},
		{"another one", []string{"abc", "xyz"}, []string{"abc", "xyz"}},
		{"shorter", []string{long, long[500:] + "new"}, []string{long, "new"}},
		{"none", []string{"a", ""}, []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			speaking(t, func(t *testing.T, r *rig) {
				u, p := r.deliver("a", "hello")
				for _, o := range c.outputs {
					p.on.Tool(peer.Tool{ID: "1", Status: peer.Running, Output: []byte(o)})
					time.Sleep(gather)
					synctest.Wait()
				}
				p.on.Tool(peer.Tool{ID: "1", Status: peer.Completed})
				p.ok()
				u.answers(t, "")
				var got []string
				for _, one := range u.reports(t, driver.ToolCallURI) {
					var v update
					if err := json.Unmarshal([]byte(one), &v); err != nil {
						t.Fatal(err)
					}
					if v.Live != "" {
						got = append(got, v.Live)
					}
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%q, want %q", got, c.want)
				}
			})
		})
	}
}

// TestOutputIsGathered: a tool that says a little very often is told of seldom.
func TestOutputIsGathered(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		for i := range 1000 {
			p.on.Tool(peer.Tool{ID: "1", Status: peer.Running, Title: fmt.Sprint(i), Output: []byte(strings.Repeat("x", i))})
			time.Sleep(time.Millisecond)
		}
		p.ok()
		u.answers(t, "")
		if n := len(u.reports(t, driver.ToolCallURI)); n > 12 {
			t.Errorf("%d updates", n)
		}
	})
}

// TestHugeTool: of 50 MiB of output and of large changes a bounded part is told, in bounded updates.
func TestHugeTool(t *testing.T) {
	side := strings.Repeat("é", 1<<20)
	told, _ := tell(t, peer.Ending{OK: true}, peer.Tool{
		ID: strings.Repeat("i", 1<<20), Name: side, Title: side, Status: peer.Completed, Output: []byte(strings.Repeat("\"", 50<<20)),
		Diffs: slices.Repeat([]peer.Diff{{Path: side, Old: &side, New: side}}, 100), Places: slices.Repeat([]peer.Place{{Path: side}}, 100),
	})
	all := 0
	for i, one := range told {
		all += len(one)
		var u update
		if err := json.Unmarshal([]byte(one), &u); err != nil || len(one) > 96<<10 || !u.Truncated {
			t.Errorf("update %d has %d bytes, %v", i, len(one), err)
		}
		if i == 0 && (len(u.Content) != driver.MaxDiffs || !u.Content[0].Truncated || len(u.Places) != driver.MaxPlaces) {
			t.Errorf("%d changes, %d places", len(u.Content), len(u.Places))
		}
	}
	if got := lives(t, told); len(told) != maxOutput/maxPiece || !strings.HasSuffix(got[0], "EXECUTING") || !strings.HasSuffix(got[len(got)-1], "SUCCEEDED") {
		t.Errorf("%d updates with %d bytes", len(told), all)
	}
}

// TestManyTools: as many as an agent uses one after the other, but not all at once.
func TestManyTools(t *testing.T) {
	var updates []peer.Tool
	for i := range 2 * maxTools {
		updates = append(updates, peer.Tool{ID: fmt.Sprint(i), Status: peer.Running}, peer.Tool{ID: fmt.Sprint(i), Status: peer.Completed})
	}
	told, notes := tell(t, peer.Ending{OK: true}, updates...)
	if len(told) != 4*maxTools || len(notes) > 0 {
		t.Errorf("%d updates, %v", len(told), notes)
	}
	updates = nil
	for i := range 2 * maxTools {
		updates = append(updates, peer.Tool{ID: fmt.Sprint(i), Status: peer.Running})
	}
	told, notes = tell(t, peer.Ending{OK: true}, updates...)
	if len(told) != 2*maxTools || notes["toolsDropped"] != maxTools {
		t.Errorf("%d updates, %v", len(told), notes)
	}
	updates = slices.Repeat([]peer.Tool{{ID: "1", Name: "n", Status: peer.Pending}, {ID: "1", Status: peer.Completed}}, maxUses+1)
	told, notes = tell(t, peer.Ending{OK: true}, updates...)
	if len(told) != 2*maxUses || notes["toolsDropped"] == nil {
		t.Errorf("%d updates, %v", len(told), notes)
	}
}
