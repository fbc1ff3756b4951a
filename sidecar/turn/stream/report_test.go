package stream

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// TestThoughts are gathered for a moment, and told before anything that comes after them.
func TestThoughts(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		want := []string{}
		told := func(texts ...string) {
			t.Helper()
			for _, text := range texts {
				b, _ := json.Marshal(map[string]string{"text": text})
				want = append(want, string(b))
			}
			if got := u.reports(t, driver.ThoughtURI); !slices.Equal(got, want) {
				t.Errorf("told %.300q, want %.300q", got, want)
			}
		}
		p.on.Think("I ")
		p.on.Think("wonder\x1b")
		time.Sleep(gather - 1)
		told()
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		told("I wonder")
		p.on.Think("why")
		p.on.Say("Because")
		told("why")
		p.on.Think("so")
		p.on.Tool(peer.Tool{ID: "1", Status: peer.Running})
		told("so")
		long := strings.Repeat("x", maxPiece-1)
		p.on.Think(long + "é" + "rest")
		told(long)
		time.Sleep(gather)
		synctest.Wait()
		told("érest")
		p.on.Think("last")
		p.ok()
		u.answers(t, "Because")
		told("last")
	})
}

// TestThoughtsAreFew: however fast they come.
func TestThoughtsAreFew(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		for range 1000 {
			p.on.Think("x")
			time.Sleep(time.Millisecond)
		}
		p.ok()
		u.answers(t, "")
		got := u.reports(t, driver.ThoughtURI)
		if n := strings.Count(strings.Join(got, ""), "x") - strings.Count(strings.Join(got, ""), "text"); len(got) > 11 || n != 1000 {
			t.Errorf("%d thoughts in %d updates", n, len(got))
		}
	})
}

// TestPlan is told when it has changed, and as much of it as people read.
func TestPlan(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		one := []peer.PlanEntry{{Content: "look\naround", Priority: "high", Status: "in_progress"}, {Content: "x", Priority: "urgent", Status: "\x1b"}}
		for range 3 {
			p.on.Plan(one)
			time.Sleep(time.Second)
		}
		p.on.Plan([]peer.PlanEntry{{Content: "overtaken"}})
		many := slices.Repeat([]peer.PlanEntry{{Content: strings.Repeat("é", maxEntry)}}, maxPlan+1)
		p.on.Plan(many)
		p.ok()
		u.answers(t, "")
		got := u.reports(t, driver.PlanURI)
		if len(got) != 2 || got[0] != `{"entries":[{"content":"look around","priority":"high","status":"in_progress"},{"content":"x"}]}` {
			t.Fatalf("%.300q", got)
		}
		var last steps
		if err := json.Unmarshal([]byte(got[1]), &last); err != nil || len(last.Entries) != maxPlan || len(last.Entries[0].Content) > maxEntry+len("…") {
			t.Errorf("%d entries of %d bytes, %v", len(last.Entries), len(last.Entries[0].Content), err)
		}
	})
}

// TestUsage is in the task's metadata: while the turn runs, and as the agent says at the end.
func TestUsage(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		wrong := peer.Usage{Model: "m\n1"}
		wrong.AddTokens(-1, 7)
		wrong.AddCost(math.Inf(1))
		p.on.Usage(wrong)
		time.Sleep(gather)
		synctest.Wait()
		meta := func() string { b, _ := json.Marshal(u.task.Snapshot(nil, false).Metadata); return string(b) }
		if got := meta(); got != `{"sv.model":"m 1","sv.usage.output_tokens":7}` {
			t.Error(got)
		}
		var end peer.Usage
		end.AddTokens(5, 9)
		end.AddCost(0.25)
		p.ends(peer.Ending{OK: true, Usage: end})
		u.answers(t, "")
		if got := meta(); got != `{"sv.cost.usd":0.25,"sv.model":"m 1","sv.usage.input_tokens":5,"sv.usage.output_tokens":9}` {
			t.Error(got)
		}
	})
}

// TestNotes are facts for the task's metadata: so many, and so long.
func TestNotes(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		p.on.Note("title", "a \u202etitle")
		p.on.Note("long", struct{ X string }{strings.Repeat("x", 3*maxNote)})
		for i := range maxNotes {
			p.on.Note(fmt.Sprint(i), i)
		}
		p.ok()
		u.answers(t, "")
		if len(u.notes) != maxNotes+1 || u.notes["title"] != "a title" || u.notes["long"] != "(too long)" || u.notes["notesDropped"] != 2 {
			t.Errorf("%d: %v", len(u.notes), u.notes)
		}
	})
}

// TestParts go to the answer at their place; what a task cannot have, or too much, is counted.
func TestParts(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		raw := []byte{1, 2, 3}
		p.on.Say("see")
		p.on.Part(a2a.Part{Kind: a2a.PartRaw, Raw: raw, MediaType: "image/\npng", Filename: "a\u202eb"})
		raw[0] = 9 // it was the agent's
		p.on.Part(a2a.Part{Kind: a2a.PartURL, URL: "https://example.com/", Metadata: a2a.Metadata{"x": []byte("1")}})
		p.on.Part(a2a.TextPart(" and hear"))
		for _, bad := range []a2a.Part{
			{Kind: a2a.PartURL, URL: "https://example.com/\n"}, {Kind: a2a.PartURL, URL: strings.Repeat("x", maxURL+1)}, {Kind: a2a.PartData, Data: []byte("{")},
			{Kind: a2a.PartRaw, Raw: make([]byte, maxPartBytes)}, {Kind: a2a.PartRaw}, {},
		} {
			p.on.Part(bad)
		}
		for range maxParts {
			p.on.Part(a2a.DataPart([]byte("{}")))
		}
		p.ok()
		u.answers(t, "see and hear")
		if got := u.out.parts; len(got) != maxParts || got[0].Raw[0] != 1 || got[0].MediaType != "image/ png" || got[0].Filename != "a_b" || got[1].Metadata != nil || got[2].Raw != nil {
			t.Errorf("%d: %+v", len(got), got[1])
		}
		if u.notes["partsDropped"] != 8 {
			t.Errorf("%v", u.notes)
		}
	})
}

// TestReportsAreBounded: an agent that never stops to tell of itself is cut short.
func TestReportsAreBounded(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		e := p.on.(*events)
		e.do(func() { e.report.told = maxReports - 10*maxPiece })
		for range 20 {
			p.on.Think(strings.Repeat("x", maxPiece))
		}
		p.on.Say("done")
		p.ok()
		u.answers(t, "done")
		if n := len(u.reports(t, driver.ThoughtURI)); n != 9 { // each has a frame around it
			t.Errorf("%d were told", n)
		}
		if n, _ := u.notes["reportsDropped"].(int); n != 11 {
			t.Errorf("%v", u.notes)
		}
	})
}
