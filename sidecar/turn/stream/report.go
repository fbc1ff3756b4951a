package stream

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

const (
	// gather is how long what is not urgent is gathered before it is told: thoughts, a plan, and what a tool says.
	gather = 100 * time.Millisecond
	// maxPiece is how much of a thought, or of a tool's output, is told at once, in bytes.
	maxPiece = 8 << 10
	// maxReports is how many bytes a turn's updates may have together; each counts as at
	// least reportCost.
	maxReports, reportCost = 32 << 20, 512
	// maxPlan is how many entries of a plan are told, and maxEntry how much of each, in bytes.
	maxPlan, maxEntry = 64, 1 << 10
	// maxModel is how long a model's name may be, in bytes.
	maxModel = 200
)

// report tells the task's readers what the agent does in addition to its words. It belongs to the
// turn's goroutine.
type report struct {
	task    *task.Task
	mute    bool        // nothing is told: the task is a call's
	timer   *time.Timer // fires when what was gathered is to be told
	armed   bool
	told    int // bytes
	dropped int // updates that were left out

	thoughts []byte
	entries  []peer.PlanEntry // the newest plan
	planned  bool             // it was not told yet
	spent    peer.Usage
	spends   bool // it was not told yet
	tools    tools
}

func (r *report) begin(t *task.Task) {
	r.task = t
	r.timer = time.NewTimer(time.Hour)
	r.timer.Stop()
}

// soon has what was gathered be told.
func (r *report) soon() {
	if !r.armed {
		r.armed = true
		r.timer.Reset(gather)
	}
}

// flush tells what was gathered.
func (r *report) flush() {
	if r.armed {
		r.armed = false
		r.timer.Stop()
	}
	r.flushThoughts()
	r.flushPlan()
	for _, t := range r.tools.changed() {
		r.tell(t)
	}
	r.flushUsage()
}

// put publishes an update.
func (r *report) put(key string, value any) {
	if r.mute {
		return
	}
	b, err := text.JSON(value)
	if r.told += max(len(b), reportCost); err != nil || r.told > maxReports {
		r.dropped++
		return
	}
	_ = r.task.Report(a2a.Metadata{key: b}) // a task that has ended is settled by its turn
}

// think gathers a thought.
func (r *report) think(words string) {
	for len(words) > 0 {
		piece := text.Cut(words, maxPiece-len(r.thoughts))
		if piece == "" { // there is no room for the next character
			r.flushThoughts()
			continue
		}
		r.thoughts, words = append(r.thoughts, piece...), words[len(piece):]
		if len(words) > 0 {
			r.flushThoughts()
		}
	}
	if len(r.thoughts) > 0 {
		r.soon()
	}
}

// thought is the metadata of an update with a thought.
type thought struct {
	Text string `json:"text"`
}

func (r *report) flushThoughts() {
	if words := text.Strip(string(r.thoughts)); words != "" {
		r.put(driver.ThoughtURI, thought{words})
	}
	r.thoughts = r.thoughts[:0]
}

// steps is the metadata of an update with a plan.
type steps struct {
	Entries []peer.PlanEntry `json:"entries"`
}

// plan takes the whole plan.
func (r *report) plan(entries []peer.PlanEntry) {
	now := make([]peer.PlanEntry, 0, min(len(entries), maxPlan))
	for _, e := range entries[:min(len(entries), maxPlan)] {
		now = append(now, peer.PlanEntry{
			Content:  text.Shorten(text.Line(text.Cut(e.Content, 2*maxEntry), 0), maxEntry),
			Priority: known(e.Priority, "high", "medium", "low"),
			Status:   known(e.Status, "pending", "in_progress", "completed"),
		})
	}
	if !slices.Equal(now, r.entries) {
		r.entries, r.planned = now, true
		r.soon()
	}
}

// known returns a word if it is one of some words, else "".
func known(word string, words ...string) string {
	if slices.Contains(words, word) {
		return word
	}
	return ""
}

func (r *report) flushPlan() {
	if r.planned {
		r.planned = false
		r.put(driver.PlanURI, steps{r.entries})
	}
}

// tool takes what is known of a tool. Where it is in its life is told at once.
//
// It returns the name of a tool that has just done what it was used for, "" for none.
func (r *report) tool(u peer.Tool) (used string) {
	if r.mute {
		if u.Status == peer.Completed {
			used = u.Name
		}
		return used
	}
	t, urgent := r.tools.update(u)
	if t != nil && u.Status == peer.Completed && t.status == succeeded && urgent {
		used = t.name
	}
	switch {
	case t == nil:
	case urgent:
		r.flushThoughts()
		r.flushPlan()
		r.tell(t)
	case t.changed:
		r.soon()
	}
	return used
}

// tell publishes what is new of a tool.
func (r *report) tell(t *tool) {
	for _, update := range t.news() {
		r.put(driver.ToolCallURI, update)
	}
}

// usage takes what the turn has cost so far.
func (r *report) usage(u peer.Usage) {
	set := func(was **int64, now *int64) {
		if now != nil && *now >= 0 && (*was == nil || **was != *now) {
			*was, r.spends = new(*now), true
		}
	}
	set(&r.spent.Input, u.Input)
	set(&r.spent.Output, u.Output)
	if c := u.Cost; c != nil && *c >= 0 && !math.IsInf(*c, 0) && (r.spent.Cost == nil || *r.spent.Cost != *c) {
		r.spent.Cost, r.spends = new(*c), true
	}
	if m := text.Line(u.Model, maxModel); m != "" && m != r.spent.Model {
		r.spent.Model, r.spends = m, true
	}
	if r.spends {
		r.soon()
	}
}

func (r *report) flushUsage() {
	if !r.spends {
		return
	}
	r.spends = false
	u := r.spent
	job.RecordUsage(r.task, channel.Usage{InputTokens: u.Input, OutputTokens: u.Output, CostUSD: u.Cost, Model: u.Model})
}

// end tells what is left. Tools that have not ended have failed with the turn, or were given up.
func (r *report) end(failed bool) {
	r.tools.close(failed)
	r.flush()
}

// update is the toolCall object of an update.
type update struct {
	ID        string           `json:"tool_call_id"`
	Status    string           `json:"status"`
	Name      string           `json:"tool_name"`
	Input     json.RawMessage  `json:"input_parameters"`
	Live      string           `json:"live_content,omitempty"`
	Kind      peer.Kind        `json:"kind"`
	Title     string           `json:"title,omitempty"`
	Places    []peer.Place     `json:"locations,omitempty"`
	Content   []driver.Content `json:"content,omitempty"`
	Truncated bool             `json:"truncated,omitempty"`
}
