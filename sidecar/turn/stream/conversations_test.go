package stream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// remember opens what is remembered in a directory.
func remember(t testing.TB, dir, agent string) *Conversations {
	t.Helper()
	c, err := OpenConversations(dir, agent)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // some tests have closed it
	return c
}

func (c *Conversations) mustKeep(t testing.TB, caller, contextID, id string) {
	t.Helper()
	if err := c.keep(caller, contextID, id); err != nil {
		t.Fatal(err)
	}
}

// TestRemembered over a restart, for the caller and by the agent whose conversation it is.
func TestRemembered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	c := remember(t, dir, "claude stream")
	c.mustKeep(t, "ann", "a", "c1")
	c.mustKeep(t, "ann", "a", "c2")
	c.mustKeep(t, "", "b", "c3")
	c.mustKeep(t, "ann", "lost", "c4")
	if err := c.Forget("ann", "lost"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, Files()[0])
	if i, err := os.Stat(path); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", i, err)
	}
	before := lines(t, path)
	for range 2 { // the second one reads what the first has made shorter
		c = remember(t, dir, "claude stream")
		for _, w := range []struct{ caller, context, id string }{{"ann", "a", "c2"}, {"", "b", "c3"}, {"bob", "a", ""}, {"ann", "b", ""}, {"ann", "lost", ""}} {
			if got := c.ID(w.caller, w.context); got != w.id {
				t.Errorf("%s of %q is %q, want %q", w.context, w.caller, got, w.id)
			}
		}
		for _, w := range []struct {
			caller, context string
			ok              bool
		}{{"ann", "a", true}, {"bob", "a", false}, {"", "a", false}, {"", "b", true}, {"ann", "b", false}, {"bob", "new", true}, {"bob", "lost", false}} {
			err := c.Admits(w.caller, w.context)
			if (err == nil) != w.ok || err != nil && (!errors.Is(err, a2a.ErrInvalidParams) || !strings.Contains(err.Error(), "contextId is not available: leave it out, or send another")) {
				t.Errorf("%s for %q: %v", w.context, w.caller, err)
			}
		}
	}
	if after := lines(t, path); before != 5 || after != 3 {
		t.Errorf("%d lines became %d", before, after)
	}
	if got := remember(t, dir, "codex stream").ID("ann", "a"); got != "" {
		t.Errorf("another agent is told of %q", got)
	}
}

func lines(t testing.TB, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(data), "\n")
}

// TestSpoiledFile: a line that was cut off, or is none of ours, costs that line only.
func TestSpoiledFile(t *testing.T) {
	dir := t.TempDir()
	good := `{"agent":"x","caller":"ann","context":"a","conversation":"c1"}`
	if err := os.WriteFile(filepath.Join(dir, conversationsFile), []byte("{}\nnull\n[1]\n"+good+"\n"+good[:30]), 0o600); err != nil {
		t.Fatal(err)
	}
	c := remember(t, dir, "x")
	c.mustKeep(t, "ann", "b", "c2")
	c = remember(t, dir, "x")
	if c.ID("ann", "a") != "c1" || c.ID("ann", "b") != "c2" {
		t.Errorf("%+v", c.known)
	}
}

// TestTooMany: the oldest conversation is forgotten, in memory and in the file.
func TestTooMany(t *testing.T) {
	dir := t.TempDir()
	var file strings.Builder
	for i := range 3 * maxConversations {
		fmt.Fprintf(&file, `{"agent":"x","context":"%d","conversation":"c%d"}`+"\n", i, i)
	}
	path := filepath.Join(dir, conversationsFile)
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	c := remember(t, dir, "x")
	if n := lines(t, path); n != maxConversations {
		t.Errorf("%d lines are left", n)
	}
	c.mustKeep(t, "", "new", "c")
	oldest := fmt.Sprint(2 * maxConversations)
	if c.ID("", oldest) != "" || c.ID("", "new") != "c" || len(c.known) != maxConversations || len(c.order) > 2*maxConversations+1 {
		t.Errorf("%d are known, %d in their order", len(c.known), len(c.order))
	}
	c.lines = 2 * maxConversations // the file has grown since
	c.mustKeep(t, "", "newer", "c")
	if n := lines(t, path); n != maxConversations {
		t.Errorf("%d lines are left", n)
	}
	if c = remember(t, dir, "x"); c.ID("", "newer") != "c" {
		t.Error("the newest one is lost")
	}
}

// TestBadID: what an agent calls a conversation is not believed to be short.
func TestBadID(t *testing.T) {
	c := remember(t, "", "x")
	for _, id := range []string{strings.Repeat("x", maxConversationID+1), "a\nb", "\u202e"} {
		if c.keep("", "a", id) == nil || c.ID("", "a") != "" {
			t.Errorf("%.10q is kept", id)
		}
	}
}

// TestManyWriters share the file.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	c := remember(t, dir, "x")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 20 {
				name := fmt.Sprintf("%d-%d", i, k)
				c.mustKeep(t, "", name, "c"+name)
				if c.ID("", name) != "c"+name || c.Admits("bob", name) == nil {
					t.Errorf("%s is not known", name)
				}
			}
		})
	}
	wg.Wait()
	c = remember(t, dir, "x")
	if len(c.known) != 160 {
		t.Errorf("%d are known", len(c.known))
	}
}

// TestResumed: another process of the agent goes on with the context's conversation, or begins another one
// and says so; another caller gets neither.
func TestResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := remember(t, "", "x")
		first := newRig(t, newAgent(), known)
		u, p := first.deliver("a", "one")
		p.ok()
		u.answers(t, "")
		if u.notes["newSession"] != nil {
			t.Error("the first conversation is a new one")
		}
		first.d.Close()

		next := newRig(t, newAgent(), known)
		u, p = next.deliver("a", "two")
		if p.conversation != "c1" || next.agent.opened[0].ID != "c1" {
			t.Errorf("%s was opened by %+v", p.conversation, next.agent.opened)
		}
		p.ok()
		u.answers(t, "")
		if u.notes["newSession"] != nil {
			t.Error("a resumed conversation is a new one")
		}
		other := next.turnOf("bob", "a", "let me in")
		go func() { other.outcome <- next.d.Deliver(other.ctx, other) }()
		other.fails(t, "contextId is not available")
		next.d.Close()

		a := newAgent()
		a.open = func(context.Context, peer.Conversation) (string, error) { return "other", nil }
		last := newRig(t, a, known)
		u, p = last.deliver("a", "three")
		p.ok()
		u.answers(t, "")
		if u.notes["newSession"] != true || known.ID("someone", "a") != "other" {
			t.Errorf("notes %v, remembered %q", u.notes, known.ID("someone", "a"))
		}
	})
}

// TestReopened: a conversation in which a prompt broke, or that is one of too many, is opened again.
func TestReopened(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "one")
		p.end <- result{err: errors.New("no such session")}
		u.fails(t, "no such session")
		u, p = r.deliver("a", "two")
		p.ok()
		u.answers(t, "")
		if n := len(r.agent.opened); n != 2 || r.agent.opened[1].ID != "c1" {
			t.Errorf("%+v", r.agent.opened)
		}
		for i := range peer.MaxOpen + 5 {
			r.d.open.add(key{"", fmt.Sprint(i)}, "x")
		}
		if n := len(r.d.open.ids); n != peer.MaxOpen || len(r.d.open.order) != peer.MaxOpen {
			t.Errorf("%d are open", n)
		}
	})
}
