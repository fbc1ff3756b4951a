package codex

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// server is our end of the connection to one `codex app-server`, which holds any number of
// conversations ("threads").
type server struct {
	p    peer.Process
	conn *rpc.Conn
	ctx  context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup // interrupts on their way

	mu      sync.Mutex
	about   peer.About
	chosen  choices
	configs []string           // the names of the MCP servers in the configuration
	normal  *policy            // what a new conversation may do; nil: not known yet
	threads map[string]*thread // the open conversations
	order   []string           // their ids, the one that was opened last at the end
	turn    *turn              // the one that runs, nil for none
	warned  []string           // what codex has warned of
}

// thread is an open conversation.
type thread struct {
	model string
	// narrow is what its next turn has to be told: it was resumed with what it was allowed at another time.
	narrow *policy
	total  tokens // that all of its turns used
	known  bool   // total is
}

var _ peer.Peer = (*server)(nil)

// newServer returns our end of the connection to a process that was just started.
func newServer(p peer.Process) peer.Peer {
	s := &server{p: p, threads: map[string]*thread{}}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.conn = rpc.New(rpc.Options{Write: p.Input, Bare: true, Request: s.request, Notice: s.notice, Log: p.Log})
	return s
}

// Output takes what the process wrote.
func (s *server) Output(chunk []byte) { s.conn.Output(chunk) }

// Close fails what waits, and waits for it.
func (s *server) Close() {
	s.mu.Lock()
	s.end() // no interrupt is sent from now on
	s.mu.Unlock()
	s.conn.Close()
	s.work.Wait()
}

// About returns what codex says of itself.
func (s *server) About() peer.About {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.about
}

// clientName is the name under which we speak to codex.
const clientName = "sidecar"

// quiet are notifications that are often sent, or long, and that nobody reads.
func quiet() []string {
	return []string{"account/rateLimits/updated", "turn/diff/updated", "rawResponseItem/completed", "rawResponse/completed", "hook/started", "hook/completed", "fs/changed"}
}

// Start makes the connection ready and checks the options.
func (s *server) Start(ctx context.Context) error {
	var hello struct {
		UserAgent string `json:"userAgent"`
	}
	params := map[string]any{
		"clientInfo":   map[string]any{"name": clientName, "title": "A2A sidecar", "version": s.p.Version},
		"capabilities": map[string]any{"experimentalApi": false, "requestAttestation": false, "optOutNotificationMethods": quiet()},
	}
	if err := s.call(ctx, "initialize", params, &hello); err != nil {
		return fmt.Errorf("it does not speak as codex app-server does: %w", err)
	}
	if err := s.conn.Notify("initialized", nil); err != nil {
		return err
	}
	if err := s.signedIn(ctx); err != nil {
		return err
	}
	return s.choose(ctx, version(hello.UserAgent))
}

// version finds the version in "sidecar/0.169.0 (Debian…)".
func version(userAgent string) string {
	_, after, _ := strings.Cut(userAgent, "/")
	v, _, _ := strings.Cut(after, " ")
	return v
}

// signedIn fails if codex needs a login that it does not have.
func (s *server) signedIn(ctx context.Context) error {
	var r struct {
		Account json.RawMessage `json:"account"`
		Needed  bool            `json:"requiresOpenaiAuth"`
	}
	var refused *rpc.Error
	err := s.call(ctx, "account/read", struct{}{}, &r)
	switch {
	case errors.As(err, &refused): // the first turn will say it
		return nil
	case err != nil:
		return err
	case r.Needed && (len(r.Account) == 0 || bytes.Equal(r.Account, []byte("null"))):
		return errors.New("codex is not logged in: run codex login as the agent's user, or give it a model provider with a key")
	}
	return nil
}

// Open starts a conversation, or resumes it.
func (s *server) Open(ctx context.Context, c peer.Conversation) (string, error) {
	params := s.chosen.params(c.Tools)
	var o opened
	if c.ID != "" {
		if err := s.learnNormal(ctx); err != nil {
			return "", err
		}
		params.ThreadID, params.ExcludeTurns, params.Dir = c.ID, true, s.p.Dir
		var refused *rpc.Error
		err := s.call(ctx, "thread/resume", params, &o)
		if err == nil {
			return s.opened(&o, true)
		}
		if !errors.As(err, &refused) {
			return "", err
		}
		s.p.Log.Info("the conversation cannot be resumed: a new one begins", "error", err)
		params.ThreadID, params.ExcludeTurns, params.Dir = "", false, ""
	}
	// The directory is the process's. It is not named: some versions of codex take a directory that is named
	// together with a sandbox as one that the user trusts, and write that into the user's configuration.
	if err := s.call(ctx, "thread/start", params, &o); err != nil {
		return "", fmt.Errorf("codex opens no conversation: %w", err)
	}
	return s.opened(&o, false)
}

// opened records a conversation that was opened.
func (s *server) opened(o *opened, resumed bool) (string, error) {
	if o.Thread.ID == "" {
		return "", errors.New("codex has opened a conversation without an id")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	th := s.keep(o.Thread.ID, !resumed)
	th.model = o.Model
	if !resumed {
		s.normal = &o.policy
	} else if !o.same(s.normal) {
		th.narrow, th.model = s.normal, s.normal.Model
	}
	return o.Thread.ID, nil
}

// maxThreads is how many conversations are taken for open. A driver may have given up some of those that it has opened
// last.
const maxThreads = 2 * peer.MaxOpen

// keep makes a conversation the one that was opened last. The caller holds the lock.
func (s *server) keep(id string, known bool) *thread {
	th := s.threads[id]
	if th == nil {
		th = &thread{known: known}
		s.threads[id] = th
	} else {
		s.order = slices.DeleteFunc(s.order, func(other string) bool { return other == id })
	}
	if s.order = append(s.order, id); len(s.order) > maxThreads {
		delete(s.threads, s.order[0])
		s.order = s.order[1:]
	}
	return th
}

// same reports whether two conversations may do the same.
func (p *policy) same(other *policy) bool {
	return p.Model == other.Model && bytes.Equal(p.Approval, other.Approval) && bytes.Equal(p.Reviewer, other.Reviewer) && bytes.Equal(p.Sandbox, other.Sandbox)
}

// learnNormal finds out what a new conversation may do: codex resumes one with what it was allowed
// when it began, which may be more than the user's configuration allows now. A conversation that is kept nowhere shows it.
func (s *server) learnNormal(ctx context.Context) error {
	s.mu.Lock()
	known := s.normal != nil
	s.mu.Unlock()
	if known {
		return nil
	}
	params := s.chosen.params(nil)
	params.Ephemeral = true
	for _, name := range s.configs { // they would be started for nothing
		params.set("mcp_servers."+name+".enabled", false)
	}
	var o opened
	if err := s.call(ctx, "thread/start", params, &o); err != nil {
		return fmt.Errorf("codex opens no conversation: %w", err)
	}
	s.mu.Lock()
	s.normal = &o.policy
	s.mu.Unlock()
	return s.ignoreRefusal(s.call(ctx, "thread/unsubscribe", map[string]string{"threadId": o.Thread.ID}, nil))
}

// ignoreRefusal drops the error of a request that may be refused.
func (s *server) ignoreRefusal(err error) error {
	if refused := (*rpc.Error)(nil); errors.As(err, &refused) {
		s.p.Log.Debug("codex refuses a request", "error", err)
		return nil
	}
	return err
}

// call sends a request. The error is peer.ErrClosed after Close.
func (s *server) call(ctx context.Context, method string, params, result any) error {
	err := s.conn.Call(ctx, method, params, result)
	if errors.Is(err, rpc.ErrClosed) {
		return peer.ErrClosed
	}
	return err
}
