package channel_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// raise starts such an agent, by a shell that stands between where words are
// given, and returns it with what it says.
func raise(t *testing.T, h *proc.Host, socket, token, script string, env ...string) (*proc.Child, <-chan string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	marker := "SIDECAR_CHANNEL_TOKEN=" + token
	child, err := h.Start(proc.Command{
		Argv: []string{"/bin/sh", "-c", strings.ReplaceAll(script, "PROGRAM", exe)}, Marker: marker,
		Env: append(append(os.Environ(), agentVariable+"="+socket, marker), env...),
	})
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	go func() {
		var out strings.Builder
		child.Output(func(p []byte) {
			out.Write(p)
			if _, line, ok := strings.Cut(out.String(), "said: "); ok && strings.HasSuffix(line, "\n") {
				select {
				case said <- strings.TrimSpace(line):
				default:
				}
			}
		}, func([]byte) {})
	}()
	t.Cleanup(func() { child.Kill() })
	return child, said
}

func newHost(t *testing.T) *proc.Host {
	t.Helper()
	h := proc.NewHost(proc.HostOptions{})
	t.Cleanup(h.Close)
	return h
}

// TestATokenIsForItsProcess: it, its children and its marked orphans are let in,
// others told why not.
func TestATokenIsForItsProcess(t *testing.T) {
	s, h := listen(t), newHost(t)
	const refused = "is none of those that the token's program"
	orphan := agentOrphanOf + "=" + strconv.Itoa(os.Getpid())
	for what, c := range map[string]struct {
		script, want string
	}{
		"itself":                   {"exec PROGRAM", "<nil>"},
		"a child":                  {"PROGRAM; true", "<nil>"},
		"an orphan":                {"(" + orphan + " setsid PROGRAM <&0 &) ; exec sleep 60", "<nil>"},
		"an orphan that hides":     {"(env -i PATH=$PATH " + orphan + " " + agentVariable + "=" + s.Path() + " " + agentToken + "=$SIDECAR_CHANNEL_TOKEN setsid PROGRAM <&0 &) ; exec sleep 60", refused},
		"a process of another one": {"PROGRAM; true", refused},
	} {
		t.Run(what, func(t *testing.T) {
			g := s.GrantProcess(&owner{})
			defer g.Revoke()
			child, said := raise(t, h, s.Path(), g.Token(), c.script)
			if what == "a process of another one" { // that has found the token
				other, _ := raise(t, h, s.Path(), "", "exec sleep 60")
				g.Started(other)
			} else {
				g.Started(child)
			}
			if got := await.One(t, said, "answer"); !strings.Contains(got, c.want) {
				t.Errorf("told %q, want %q", got, c.want)
			}
		})
	}
	g := s.GrantProcess(&owner{})
	child, _ := raise(t, h, s.Path(), "", "exec sleep 60")
	g.Started(child)
	if _, err := channel.Dial(t.Context(), s.Path(), g.Token(), channel.Capabilities{}); err == nil || !strings.Contains(err.Error(), refused) {
		t.Errorf("this process, with the token: %v", err)
	}
}

// TestAFloodIsItsOwn: an agent that opens all the connections it can takes none
// from another.
func TestAFloodIsItsOwn(t *testing.T) {
	s, h := listen(t), newHost(t)
	bad, good := s.GrantProcess(&owner{}), s.GrantProcess(&owner{})
	child, flooded := raise(t, h, s.Path(), bad.Token(), "exec PROGRAM", agentSilent+"=1")
	bad.Started(child)
	if got := await.One(t, flooded, "end of the flood"); !strings.Contains(got, "too many connections") {
		t.Errorf("the flood was told %q", got)
	}
	child, said := raise(t, h, s.Path(), good.Token(), "exec PROGRAM")
	good.Started(child)
	if got := await.One(t, said, "answer"); got != "<nil>" {
		t.Errorf("another agent was told %q", got)
	}
}
