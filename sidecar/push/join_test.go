package push

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

func part(text string) a2a.Part { return a2a.TextPart(text) }

func update(id uint64, more, last bool, parts ...a2a.Part) *a2a.Event {
	return &a2a.Event{ID: id, Artifact: &a2a.ArtifactUpdate{
		TaskID: "t", Append: more, LastChunk: last, Artifact: a2a.Artifact{ID: "a", Name: "n", Parts: parts},
	}}
}

// encoded is what receivers get, with the IDs.
func encoded(events []*a2a.Event) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(strconv.FormatUint(e.ID, 10) + string(codec.EncodeEvent(e, a2a.V10)) + "\n")
	}
	return b.String()
}

// Chunks are joined where that loses nothing, and nowhere else.
func TestJoin(t *testing.T) {
	status := &a2a.Event{ID: 5, Status: &a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.StateWorking}}}
	data := a2a.Part{Kind: a2a.PartData, Data: json.RawMessage(`1`)}
	named := a2a.Part{Kind: a2a.PartText, Text: "f", Filename: "f.txt"}
	other := update(2, true, false, part("b"))
	other.Artifact.Artifact.ID = "other"
	marked := update(2, true, false, part("b"))
	marked.Artifact.Metadata = a2a.Metadata{"k": json.RawMessage(`1`)}
	renamed := update(2, true, false, part("b"))
	renamed.Artifact.Artifact.Name = "m"
	for name, test := range map[string]struct{ in, want []*a2a.Event }{
		"text":            {[]*a2a.Event{update(1, false, false, part("a")), update(2, true, false, part("b")), update(3, true, true, part("c"))}, []*a2a.Event{update(3, false, true, part("abc"))}},
		"in the middle":   {[]*a2a.Event{update(7, true, false, part("a")), update(8, true, false, part("b"))}, []*a2a.Event{update(8, true, false, part("ab"))}},
		"other parts":     {[]*a2a.Event{update(1, false, false, part("a")), update(2, true, false, data), update(3, true, false, part("b"), part("c"))}, []*a2a.Event{update(3, false, false, part("a"), data, part("bc"))}},
		"a file":          {[]*a2a.Event{update(1, false, false, named), update(2, true, false, part("b"))}, []*a2a.Event{update(2, false, false, named, part("b"))}},
		"a new beginning": {[]*a2a.Event{update(1, false, false, part("a")), update(2, false, false, part("b"))}, nil},
		"after the last":  {[]*a2a.Event{update(1, false, true, part("a")), update(2, true, false, part("b"))}, nil},
		"another":         {[]*a2a.Event{update(1, false, false, part("a")), other}, nil},
		"metadata":        {[]*a2a.Event{update(1, false, false, part("a")), marked}, nil},
		"a name":          {[]*a2a.Event{update(1, false, false, part("a")), renamed}, nil},
		"a status":        {[]*a2a.Event{update(4, false, false, part("a")), status, update(6, true, false, part("b"))}, nil},
		"too long":        {[]*a2a.Event{update(1, false, false, part(strings.Repeat("a", 200<<10))), update(2, true, false, part(strings.Repeat("b", 100<<10)))}, nil},
		"nothing":         {nil, nil},
	} {
		want := test.want
		if want == nil {
			want = test.in
		}
		before := encoded(test.in)
		if got := encoded(join(test.in)); got != encoded(want) {
			t.Errorf("%s: got\n%.400s\nwant\n%.400s", name, got, encoded(want))
		}
		for _, e := range test.in { // others read them
			if fresh := (&a2a.Event{ID: e.ID, Artifact: e.Artifact, Status: e.Status}); !strings.Contains(before, string(codec.EncodeEvent(fresh, a2a.V10))) {
				t.Errorf("%s: an event was changed", name)
			}
		}
	}
}

// Many small chunks are joined in linear time.
func TestJoinMany(t *testing.T) {
	var events []*a2a.Event
	for i := range 100_000 {
		events = append(events, update(uint64(i+1), i > 0, false, part("x")))
	}
	allocs := testing.AllocsPerRun(1, func() {
		if got := join(events); len(got) != 1 || len(got[0].Artifact.Artifact.Parts[0].Text) != len(events) {
			t.Errorf("%d events", len(got))
		}
	})
	if allocs > 100 {
		t.Errorf("%v allocations", allocs)
	}
}
