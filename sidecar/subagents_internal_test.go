package sidecar

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/subagent"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// An agent that does not know the limits that go down with work is sent none under --govern=strict, and only then.
func TestStrictSubagents(t *testing.T) {
	for govern, given := range map[string]bool{config.GovernOff: true, config.GovernOn: true, config.GovernStrict: false} {
		t.Run(govern, func(t *testing.T) {
			var sent atomic.Bool
			remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "agent-card.json") {
					_, _ = io.WriteString(w, `{"capabilities":{"streaming":true},"supportedInterfaces":[{"url":"","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`)
					return
				}
				sent.Store(true)
				http.Error(w, "", http.StatusTeapot)
			}))
			defer remote.Close()
			err := startsSubagent(t, govern, remote.URL)
			if refused := strings.Contains(err.Error(), "does not know the extension"); refused == given || sent.Load() != given {
				t.Errorf("it was sent work: %t; %v", sent.Load(), err)
			}
		})
	}
}

// startsSubagent returns the error of work that is given to an agent at an address, which takes none.
func startsSubagent(t *testing.T, govern, address string) error {
	file := filepath.Join(t.TempDir(), "agents.json")
	if err := os.WriteFile(file, []byte(`{"agents":{"one":{"url":"`+address+`"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &sidecar{Options: Options{Config: config.Config{Agents: file, Govern: govern, TaskTimeout: time.Minute}, Log: slog.New(slog.DiscardHandler)}, core: &tool.Set{}}
	if err := errors.Join(s.openAgents(t.Context()), s.openSubagents(t.Context())); err != nil {
		t.Fatal(err)
	}
	defer s.closeSubagents(context.Background())
	root := task.NewRegistry(task.Options{}).Create("", "", &a2a.Message{Role: a2a.RoleUser}, nil)
	work := delegation.New(delegation.Options{Depth: 1, Children: 1}).Of(root)
	_, err := s.agents.desk.Start(t.Context(), subagent.Start{Agent: "one", Prompt: "x", Work: work, Call: root})
	if err == nil {
		t.Fatal("an agent that answers nothing took the work")
	}
	return err
}
