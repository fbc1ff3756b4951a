package stream

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// TestMixed: 20 messages in two contexts, of which some are canceled at any moment. No word of one is heard in
// another, and each is given to its context's conversation.
func TestMixed(t *testing.T) {
	for seed := range uint64(50) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			speaking(t, func(t *testing.T, r *rig) {
				random := rand.New(rand.NewPCG(seed, 0))
				var chats sync.WaitGroup
				seed := random.Uint64()
				chats.Go(func() { r.agent.chatters(seed) })
				for i := range 20 {
					r.mixed(t, random, i)
				}
				r.d.Close()
				chats.Wait()
			})
		})
	}
}

// mixed gives a message to the agent, and may cancel it.
func (r *rig) mixed(t *testing.T, random *rand.Rand, i int) {
	c := string(rune('a' + random.IntN(2)))
	u := r.turn(c, fmt.Sprintf("%s%d", c, i))
	for len(r.agent.spoke) > 0 { // of the turn before
		<-r.agent.spoke
	}
	go func() { u.outcome <- r.d.Deliver(u.ctx, u) }()
	canceled := random.IntN(2) == 0
	if canceled {
		u.until(r.agent.spoke, random.IntN(chatter+1))
		u.cancel(task.ErrCanceled)
	}
	<-u.outcome
	if canceled && !r.idle() {
		t.Error("the agent is not idle")
	}
	words := strings.Fields(string(u.out.Kept))
	for _, w := range words {
		if w != u.text {
			t.Errorf("%s heard %s", u.text, w)
		}
	}
	if !canceled && len(words) != chatter {
		t.Errorf("%s heard %d words", u.text, len(words))
	}
	if id, known := r.d.open.ids[key{"someone", c}]; known && id != r.known.ID("someone", c) {
		t.Errorf("%s is open as %s", c, id)
	}
}

// until waits until the agent has said so many words, or the turn is over.
func (u *fakeTurn) until(spoke <-chan struct{}, words int) {
	for range words {
		select {
		case <-spoke:
		case o := <-u.outcome:
			u.outcome <- o
			return
		}
	}
}

// chatter is how many words the agent answers with.
const chatter = 10

// chatters answers each prompt with its own words, one after the other. It stops some words after it was told to,
// still talking.
func (a *agent) chatters(seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	for {
		var p *prompt
		select {
		case p = <-a.prompts:
		case <-a.closed:
			return
		}
		for len(a.cancels) > 0 { // they were for the turn before
			<-a.cancels
		}
		left := chatter
		for n := 0; left > 0; n++ {
			p.on.Say(p.message.Text + " ")
			p.on.Think(p.message.Text)
			left--
			select {
			case a.spoke <- struct{}{}:
			default: // nobody counts
			}
			select {
			case <-a.cancels:
				left = min(left, random.IntN(5))
			default:
			}
		}
		p.ends(peer.Ending{OK: true})
		<-p.returned
		synctest.Wait() // the driver knows by now
		p.on.Say("late")
	}
}

// TestMemoryIsFlat over 400 turns of a session.
func TestMemoryIsFlat(t *testing.T) {
	known := remember(t, "", "x")
	r := newRig(t, newAgent(), known)
	r.tasks = task.NewRegistry(task.Options{KeepTasks: 1})
	defer r.tasks.Close()
	turn := func(i int) {
		u, p := r.deliver(fmt.Sprint("context ", i%4), "hello")
		defer u.release()
		for range 50 {
			p.on.Say("some words ")
			p.on.Think("some thoughts")
		}
		for k := range 5 {
			p.on.Tool(peer.Tool{ID: fmt.Sprint(k), Name: "Bash", Status: peer.Running, Output: []byte(strings.Repeat("x", 4<<10))})
			p.on.Tool(peer.Tool{ID: fmt.Sprint(k), Status: peer.Completed})
		}
		if i%8 == 7 {
			u.cancel(task.ErrCanceled)
			<-u.outcome
		}
		p.ok()
		if i%8 != 7 {
			<-u.outcome
		}
		if err := r.d.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		_ = u.task.Finish(a2a.StateCompleted, nil, nil)
	}
	const turns = 400
	for i := range turns / 4 {
		turn(i)
	}
	before := heap()
	for i := range turns {
		turn(i)
	}
	grown := (heap() - before) / turns
	t.Logf("%d bytes per turn", grown)
	if grown > maxGrowth {
		t.Errorf("each turn leaves %d bytes", grown)
	}
}

// maxGrowth is what a turn may leave in memory, in bytes: what the test itself keeps of it.
const maxGrowth = 2 << 10

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
