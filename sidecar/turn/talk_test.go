package turn_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// bothWays runs a test for an agent by ACP, and for one that streams and holds many conversations.
func bothWays(t *testing.T, test func(t *testing.T, stream *spec.Stream)) {
	t.Run("acp", func(t *testing.T) { t.Parallel(); test(t, nil) })
	t.Run("stream", func(t *testing.T) { t.Parallel(); test(t, &spec.Stream{Peer: newTalkPeer(nil)}) })
}

// TestOneProcessHoldsAConversationForEachContext, of any caller.
func TestOneProcessHoldsAConversationForEachContext(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, stream *spec.Stream) {
		r := talks(t, t.TempDir(), stream, nil)
		one, _ := r.spoke("one")
		other, _ := r.spoke("other")
		again, fresh := r.spoke("one")
		if one.pid != other.pid || one.conversation == other.conversation || other.count != 1 {
			t.Errorf("one %+v, other %+v", one, other)
		}
		if again.conversation != one.conversation || again.count != 2 || fresh {
			t.Errorf("first %+v, then %+v, new: %t", one, again, fresh)
		}
		if a, b := r.Context(""), r.Context(""); a == b || a == "" {
			t.Errorf("messages without a context join %q and %q", a, b)
		}
		// The process belongs to nobody, and a conversation to its caller.
		for _, caller := range []string{"alice", "bob"} {
			k, err := r.by(caller, "of "+caller, "hello")
			if err != nil || r.Admits(caller) != nil {
				t.Fatalf("%s: %v, %v", caller, err, r.Admits(caller))
			}
			if got := r.end(k); got.Status.State != a2a.StateCompleted {
				t.Errorf("%s: %s %s", caller, got.Status.State, status(got))
			}
		}
		if err := r.Claim("bob", "of alice"); !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("bob may claim alice's context: %v", err)
		}
		if err := r.Claim("alice", "of alice"); err != nil {
			t.Error(err)
		}
		st := r.Status()
		if len(st) != 1 || st[0].Owner != "" || st[0].Context != "" || !st[0].Many {
			t.Errorf("status %+v", st)
		}
		about := r.About()
		if about == nil || about.Name != "Talker" || len(about.Options) != 1 {
			t.Errorf("about %+v", about)
		}
	})
}

// TestEndOfTheOneProcess is the end of the agent, unless it is restarted; its conversations go on then.
func TestEndOfTheOneProcess(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, stream *spec.Stream) {
		r := talks(t, t.TempDir(), stream, nil)
		got := r.ask("exit")
		if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "exit status 3") || strings.Contains(status(got), "oneshot") {
			t.Errorf("%s %q", got.Status.State, status(got))
		}
		within(t, r.Exited(), "the agent's end")
		if r.Exit().Status() != 3 {
			t.Errorf("exit %s", r.Exit())
		}
	})
	bothWays(t, func(t *testing.T, stream *spec.Stream) {
		r := talks(t, t.TempDir(), stream, func(o *turn.Options) { o.Restart = turn.RestartAlways })
		before, _ := r.spoke("one")
		r.ask("exit")
		after, fresh := r.spoke("one")
		if after.pid == before.pid || after.conversation != before.conversation || after.count != 2 || fresh {
			t.Errorf("before %+v, after %+v, new: %t", before, after, fresh)
		}
	})
}

// TestSessionsOfAgentsThatTalk: each context has a process, and its conversation goes on in the next one.
func TestSessionsOfAgentsThatTalk(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, stream *spec.Stream) {
		r := talks(t, t.TempDir(), stream, func(o *turn.Options) { o.Sessions = 2 })
		goOn(t, r, []string{"one", "two", "three"})
	})
	t.Run("single", func(t *testing.T) {
		t.Parallel()
		r := talks(t, t.TempDir(), singleStream(), nil, "single")
		goOn(t, r, []string{"one", "two"})
	})
	t.Run("two of single", func(t *testing.T) {
		t.Parallel()
		r := talks(t, t.TempDir(), singleStream(), func(o *turn.Options) { o.Sessions = 2 }, "single")
		goOn(t, r, []string{"one", "two", "three"})
	})
}

// goOn sends to more contexts than there may be processes, twice.
func goOn(t *testing.T, r *rig, contexts []string) {
	first := map[string]spoke{}
	for _, c := range contexts {
		s, fresh := r.spoke(c)
		for other, o := range first {
			if o.conversation == s.conversation || o.pid == s.pid {
				t.Errorf("%s and %s: %+v, %+v", c, other, s, o)
			}
		}
		if s.count != 1 || fresh {
			t.Errorf("%s: %+v, new: %t", c, s, fresh)
		}
		first[c] = s
	}
	s, fresh := r.spoke(contexts[0])
	if s.conversation != first[contexts[0]].conversation || s.pid == first[contexts[0]].pid || s.count != 2 || fresh {
		t.Errorf("first %+v, then %+v, new: %t", first[contexts[0]], s, fresh)
	}
	if exited := r.Exited(); exited != nil {
		t.Error("the end of a process would be the agent's")
	}
}

// TestProcessThatServedNobodyIsForANewContext: one that was started without a conversation cannot resume one.
func TestProcessThatServedNobodyIsForANewContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := talks(t, dir, singleStream(), nil, "single")
	one, _ := before.spoke("one")
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	r := talks(t, dir, singleStream(), nil, "single")
	spare := r.Status()[0].PID
	again, fresh := r.spoke("one")
	if again.conversation != one.conversation || again.count != 2 || again.pid == spare || fresh {
		t.Errorf("before %+v, after a restart %+v, new: %t; the spare is %d", one, again, fresh, spare)
	}
	if err := r.Claim("bob", "one"); err == nil {
		t.Error("a restart forgot whose the context is")
	}
	r = talks(t, t.TempDir(), singleStream(), nil, "single")
	spare = r.Status()[0].PID
	if s, _ := r.spoke("new"); s.pid != spare {
		t.Errorf("the spare %d was not used, but %+v", spare, s)
	}
}

// TestConversationThatCannotBeResumed begins another one, and says so.
func TestConversationThatCannotBeResumed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := talks(t, dir, singleStream(), nil, "single")
	one, _ := r.spoke("one")
	r.spoke("two") // in the place of one's process
	if err := os.Remove(filepath.Join(dir, one.conversation+".conv")); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 2; n++ {
		s, fresh := r.spoke("one")
		if s.conversation == one.conversation || s.count != n || fresh != (n == 1) {
			t.Errorf("turn %d: %+v, new: %t", n, s, fresh)
		}
	}
}

// TestOptionThatTheAgentDoesNotHave is an error at the start.
func TestOptionThatTheAgentDoesNotHave(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]*spec.Stream{"acp": nil, "single": singleStream()} {
		r := prepareRig(t, func(o *turn.Options) {
			talking(o, t.TempDir(), stream)
			o.AgentOptions = []peer.Option{{Key: "mode", Value: "bad"}}
		})
		if err := r.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "there is no such option") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// host gives options of a runner that is never started what they must have.
func host(t *testing.T, o *turn.Options) {
	t.Helper()
	o.Host = proc.NewHost(proc.HostOptions{})
	t.Cleanup(o.Host.Close)
}

// TestModesThatCannotBe are refused before anything is started.
func TestModesThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set  func(*turn.Options)
		says string
	}{
		{func(o *turn.Options) { o.Mode, o.Command = turn.ModeStream, []string{"/bin/cat"} }, "it is not known that cat speaks in messages of its own; it is known of "},
		{func(o *turn.Options) { o.Mode, o.Command = turn.ModeStream, []string{"npx", "codex-acp"} }, "speaks ACP for codex; use --mode acp"},
		{func(o *turn.Options) { o.Mode, o.Command = turn.ModeACP, []string{"cat"} }, "nobody who speaks it"},
		{func(o *turn.Options) {
			o.Mode, o.Command, o.AgentOptions = turn.ModePTY, []string{"cat"}, []peer.Option{{Key: "a", Value: "b"}}
		}, "for the modes acp and stream"},
		{func(o *turn.Options) { o.Mode, o.Command = "auto", []string{"cat"} }, `mode "auto"`},
	} {
		o := defaults()
		host(t, &o)
		c.set(&o)
		if _, err := turn.New(o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

// TestToolsOfAnAgentThatIsToldOfServers: in ACP our server is named in each conversation, if nobody knows a
// better way.
func TestToolsOfAnAgentThatIsToldOfServers(t *testing.T) {
	t.Parallel()
	var told []peer.Conversation
	r := talks(t, t.TempDir(), nil, func(o *turn.Options) {
		withChannel(t, o)
		o.GiveTools, o.Self, o.ACP = turn.GiveOn, "/opt/sidecar", newTalkPeer(func(c peer.Conversation) { told = append(told, c) })
	})
	r.spoke("one")
	if len(told) != 1 || told[0].Tools == nil || told[0].Tools.Name != "sidecar" || strings.Join(told[0].Tools.Argv[:3], " ") != "/opt/sidecar mcp --channel" {
		t.Fatalf("told %+v", told)
	}
	if s := r.Tools(); s == nil || !s.Given {
		t.Errorf("status %+v", s)
	}
	if _, _, err := spec.OpenDoor(told[0].Tools.Argv[3]); err != nil {
		t.Error(err)
	}
	// Without a channel there is none, and a stream has no place to name one.
	for name, stream := range map[string]*spec.Stream{"acp": nil, "stream": {Peer: newTalkPeer(nil)}} {
		r := prepareRig(t, func(o *turn.Options) {
			talking(o, t.TempDir(), stream)
			o.GiveTools, o.Self = turn.GiveOn, "/opt/sidecar"
		})
		if err := r.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "--give-tools") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAgentsThatLiveOn: neither one that takes no end of its input and no TERM, nor what an agent has left in a
// session of its own, outlives the sidecar.
func TestAgentsThatLiveOn(t *testing.T) {
	t.Parallel()
	for name, habits := range map[string][]string{"deaf": {"deaf"}, "orphan": {"parent"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := talks(t, dir, nil, func(o *turn.Options) { o.CancelGrace = 100 * 1e6 }, habits...)
			s, _ := r.spoke("one")
			pids := []int{s.pid}
			if name == "orphan" {
				data, err := os.ReadFile(filepath.Join(dir, "child"))
				child := 0
				if fmt.Sscan(string(data), &child); err != nil || child == 0 || !alive(child) {
					t.Fatalf("child %d: %v", child, err)
				}
				pids = append(pids, child)
			}
			r.Drain(t.Context(), 0)
			within(t, r.Exited(), "the agent's end")
			for _, pid := range pids {
				if alive(pid) {
					t.Errorf("process %d lives on", pid)
				}
			}
		})
	}
}
