package agents_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// What a run of mixed messages is: flags behind .ci/agents, or of make mixed.
var (
	mixedAgent    = flag.String("agent", "", "the agent that gets the mixed messages; all of them without")
	mixedMessages = flag.Int("messages", 0, "how many mixed messages each agent gets")
	mixedCancels  = flag.Int("cancels", 0, "how many more are canceled")
	mixedSeed     = flag.Uint64("seed", 0, "of the messages and moments; 0 is a new one")
)

// cancelStages are when a message is canceled: while it waits behind another, at
// any moment of its typing, right after its Enter, during the answer, and while
// the agent asks.
var cancelStages = []string{"queued", "typed", "submitted", "answering", "asking"}

// stuckTime is how long a message may take, however long others are busy.
const stuckTime = 90 * time.Second

// mixing is a run of mixed messages to one agent.
type mixing struct {
	tally
	*writer
	r        *rig
	seed     uint64
	messages int
	began    time.Time
	all      []*parcel
	looked   int // how much of what the model got is counted
	shown    int // screens
	files    int
}

// TestMixed sends messages of every length and kind, cancels others at any
// moment, has a person type beside, and counts what became of them.
func TestMixed(t *testing.T) {
	if *mixedMessages+*mixedCancels == 0 {
		t.Skip("make mixed gives the number of messages")
	}
	for _, a := range agents() {
		if *mixedAgent != "" && a.name != *mixedAgent {
			continue
		}
		t.Run(a.name, func(t *testing.T) { mixed(t, a) })
	}
}

func mixed(t *testing.T, a agent) {
	seed := *mixedSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano() % 1e6)
	}
	t.Logf("seed %d", seed)
	r := start(t, a)
	m := &mixing{writer: newWriter(seed), r: r, seed: seed, messages: *mixedMessages, began: time.Now()}
	m.stages = map[string]int{}
	r.model.teach("brief", spread(1500*time.Millisecond, lines(4, "a short speech")...))
	r.model.teach("long", spread(40*time.Second, lines(40, "a long speech")...))
	for _, how := range m.plan(*mixedCancels) {
		m.step(t, how)
		m.delivered(t)
		if !r.running() {
			m.fault(t, &m.stuck, &parcel{how: how, text: "?"}, "the sidecar has ended: %s\n%s", r.cmd.ProcessState, tail(r.log.String(), 20))
			m.restart(t)
		}
		if m.stuck > 5 {
			t.Error("that is too much")
			break
		}
	}
	m.settle(t)
	t.Logf("\n%s", m.table(time.Since(m.began)))
	if m.lost+m.doubled+m.mixed+m.wrong+m.stuck > 0 || 50*m.failed > m.messages {
		t.Errorf("%d lost, %d doubled, %d mixed, %d wrong, %d stuck; %d of %d told as failed: %q", m.lost, m.doubled, m.mixed, m.wrong, m.stuck, m.failed, m.messages, m.reasons)
	}
}

// plan is what happens, in which order. A message that is canceled in the queue
// waits behind one of those that are answered.
func (m *mixing) plan(cancels int) (plan []string) {
	for range cancels {
		how := append(cancelStages, "typed")[m.IntN(len(cancelStages)+1)]
		m.stages[how]++
		plan = append(plan, how)
	}
	for range max(0, m.messages-m.stages["queued"]) {
		plan = append(plan, "answered")
	}
	m.messages = max(m.messages, m.stages["queued"])
	m.Shuffle(len(plan), func(i, k int) { plan[i], plan[k] = plan[k], plan[i] })
	return plan
}

func (m *mixing) step(t *testing.T, how string) {
	t.Helper()
	switch how {
	case "answered":
		if m.IntN(8) == 0 {
			defer m.sit(t)()
		}
		if p := m.send(t, how, m.message()); p != nil {
			m.finish(t, p)
		}
	case "queued":
		first := m.send(t, "answered", "SAY:brief "+m.message())
		if first == nil {
			return
		}
		if p := m.send(t, how, m.message()); p != nil {
			m.pass(time.Duration(m.IntN(1000)) * time.Millisecond)
			m.cancel(t, p)
		}
		m.finish(t, first)
	case "typed":
		if p := m.send(t, how, m.message()); p != nil {
			m.pass(time.Duration(m.IntN(800)) * time.Millisecond)
			m.cancel(t, p)
		}
	default:
		m.late(t, how)
	}
	if m.IntN(3) == 0 {
		m.pass(time.Duration(m.IntN(1000)) * time.Millisecond)
	}
}

// late cancels a message that the agent has got.
func (m *mixing) late(t *testing.T, how string) {
	t.Helper()
	text := "SAY:long " + m.message()
	if how == "asking" {
		m.files++
		m.n++
		text = fmt.Sprintf("TOOL:shell touch mixed-%d-%s%s", m.files, m.name(), m.r.asks)
	}
	p := m.send(t, how, text)
	if p == nil {
		return
	}
	u := p.turn
	var err error
	switch how {
	case "submitted":
		err = m.r.model.reached(text, stuckTime)
	case "answering":
		err = u.follow(stuckTime, func() bool { return u.text != "" })
	case "asking":
		err = u.follow(stuckTime, func() bool { return false })
	}
	if err != nil {
		m.fault(t, &m.stuck, p, "%v; the task is %s: %s (%s)", err, u.state, u.says(), encode(u.meta))
	}
	m.pass(time.Duration(m.IntN(700)) * time.Millisecond)
	m.cancel(t, p)
}

// send begins a task, nil for one that was not taken.
func (m *mixing) send(t *testing.T, how, text string) *parcel {
	t.Helper()
	p := &parcel{n: len(m.all) + 1, how: how, text: text, at: time.Now(), turn: &turn{r: m.r, parts: map[string]string{}}}
	m.all = append(m.all, p)
	if err := p.turn.open(t, text); err != nil {
		m.fault(t, &m.failed, p, "it was not taken: %v", err)
		return nil
	}
	if err := p.turn.follow(stuckTime, func() bool { return p.turn.task != "" }); err != nil {
		m.fault(t, &m.stuck, p, "%v", err)
		return nil
	}
	return p
}

// finish waits for the end of a task.
func (m *mixing) finish(t *testing.T, p *parcel) {
	t.Helper()
	if err := p.turn.follow(stuckTime, func() bool { return false }); err != nil || !p.turn.state.Terminal() {
		m.fault(t, &m.stuck, p, "%v; the task is %s: %s (%s)", err, p.turn.state, p.turn.says(), encode(p.turn.meta))
		m.restart(t)
		return
	}
	m.delivered(t)
	m.judge(t, p)
}

// cancel ends a task, unless it has ended before.
func (m *mixing) cancel(t *testing.T, p *parcel) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), stuckTime)
	defer stop()
	task, err := m.r.client.Cancel(ctx, &a2a.CancelRequest{ID: p.turn.task})
	switch {
	case err == nil && task.Status.State == a2a.StateCanceled:
		m.canceled++
		p.turn.stream.Close()
		p.turn.cancel()
	case ctx.Err() != nil:
		m.fault(t, &m.stuck, p, "it cannot be canceled: %v", err)
	default: // it has ended
		if ending := p.turn.follow(stuckTime, func() bool { return false }); ending != nil {
			m.fault(t, &m.stuck, p, "%v; after the cancel: %v", ending, err)
			return
		}
		m.tooLate++
		m.delivered(t)
		m.judge(t, p)
		if p.turn.state == a2a.StateCompleted {
			m.answered--
		}
	}
}

// settle waits for what may still come of canceled messages.
func (m *mixing) settle(t *testing.T) {
	t.Helper()
	if m.r.running() {
		text := "the last of all " + m.name()
		if p := m.send(t, "answered", text); p != nil {
			m.finish(t, p)
			m.answered--
		}
	}
	m.delivered(t)
	for _, p := range m.all {
		completed := p.turn != nil && p.turn.state == a2a.StateCompleted
		if p.got == 0 && (completed || p.how == "person") {
			m.fault(t, &m.lost, p, "the model never got it")
		}
	}
}

// restart begins a fresh session.
func (m *mixing) restart(t *testing.T) {
	t.Helper()
	m.delivered(t)
	m.r.stop(t)
	m.r.launch(t)
}

// pass lets time go by: the moments are random, and nothing is waited for.
func (m *mixing) pass(d time.Duration) {
	<-time.After(d)
}

// reached waits until the model has got a message, in whatever company.
func (m *model) reached(text string, limit time.Duration) error {
	late := time.After(limit)
	for {
		m.mu.Lock()
		changed, there := m.changed, false
		for _, req := range m.seen {
			there = there || len(req.tools) > 0 && strings.Contains(untabbed(req.text), untabbed(text))
		}
		m.mu.Unlock()
		if there {
			return nil
		}
		select {
		case <-changed:
		case <-late:
			return fmt.Errorf("the model did not get it within %v", limit)
		}
	}
}
