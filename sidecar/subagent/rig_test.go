package subagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/subagent"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// liar is an agent over HTTP that answers as a test wants.
type liar struct {
	t    *testing.T
	url  string
	card string
	// stream writes the events of a message; get returns what GetTask says, "" for an error.
	stream func(w http.ResponseWriter, r *http.Request)
	get    string

	mu       sync.Mutex
	canceled int
	streams  int
	auth     []string
}

const (
	goodCard = `{"capabilities":{"streaming":true,"extensions":[{"uri":"` + delegation.URI + `"}]},"supportedInterfaces":[{"url":"URL","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	plain    = `{"capabilities":{"streaming":true},"supportedInterfaces":[{"url":"URL/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	aTask    = `{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}`
	done     = `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}`
)

func words(text string) string {
	return `{"artifactUpdate":{"taskId":"t1","contextId":"c1","append":true,"artifact":{"artifactId":"a","parts":[{"text":"` + text + `"}]}}}`
}

// says writes results as events.
func says(w io.Writer, results ...string) bool {
	for _, r := range results {
		if _, err := fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}\n\n", r); err != nil {
			return false
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	return true
}

// lies starts a liar. Its stream is what the results say, and then hangs if they are none that end.
func lies(t *testing.T, card string, stream func(w http.ResponseWriter, r *http.Request)) *liar {
	t.Helper()
	l := &liar{t: t, card: card, stream: stream}
	s := httptest.NewServer(l)
	l.url = s.URL
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return l
}

func (l *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.auth = append(l.auth, r.Header.Get("Authorization"))
	l.mu.Unlock()
	if strings.HasSuffix(r.URL.Path, "agent-card.json") {
		if l.shown() == "" {
			http.Redirect(w, r, "/card", http.StatusFound)
			return
		}
		io.WriteString(w, l.shown())
		return
	}
	if r.URL.Path == "/card" {
		l.t.Error("a redirect of the card was followed")
	}
	var call struct{ Method string }
	_ = json.NewDecoder(r.Body).Decode(&call)
	switch call.Method {
	case "CancelTask":
		l.mu.Lock()
		l.canceled++
		l.mu.Unlock()
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_CANCELED"}}}`)
	case "GetTask":
		if l.get == "" {
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`)
			return
		}
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":`+l.get+`}`)
	case "SendStreamingMessage":
		l.mu.Lock()
		l.streams++
		l.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		l.stream(w, r)
	default:
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"no `+call.Method+`"}}`)
	}
}

// shown is its card, "" for a redirect.
func (l *liar) shown() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.ReplaceAll(l.card, "URL", l.url)
}

func (l *liar) count() (canceled, streams int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.canceled, l.streams
}

// nobody is an Asker.
type nobody struct{}

func (nobody) Ask(context.Context, subagent.Question) (*a2a.Message, error) {
	return nil, errors.New("nobody can be asked")
}

// desk is a desk with one agent, and a task that may give work to it.
type desk struct {
	*subagent.Desk
	t    *testing.T
	log  *await.Log
	root *task.Task
	work *delegation.Work
}

func newDesk(t *testing.T, entry string, timeout time.Duration, more ...func(*subagent.DeskOptions)) *desk {
	t.Helper()
	agents, err := subagent.Parse(subagent.Options{})("agents.json", []byte(`{"agents":{"liar":`+entry+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, log: &await.Log{}}
	o := subagent.DeskOptions{File: "agents.json", Agents: func() *subagent.Agents { return agents }, Timeout: timeout, Log: slog.New(slog.NewTextHandler(d.log, nil))}
	for _, set := range more {
		set(&o)
	}
	d.Desk = subagent.NewDesk(o)
	t.Cleanup(d.Close)
	d.root = task.NewRegistry(task.Options{}).Create("", "", &a2a.Message{Role: a2a.RoleUser}, nil)
	d.work = delegation.New(delegation.Options{Depth: 2, Children: 2}).Of(d.root)
	return d
}

func (d *desk) start() (*subagent.Child, error) {
	return d.Start(await.Context(d.t), subagent.Start{Agent: "liar", Prompt: "x", Work: d.work, Call: d.root, Ask: nobody{}})
}

// end waits for the child's end.
func (d *desk) end(c *subagent.Child) tool.SubStatus {
	d.t.Helper()
	for {
		changed := c.Changed()
		if st := c.Status(); st.Ended {
			return st
		}
		await.One(d.t, changed, "a change of the child")
	}
}

// lie is what an agent does, and what becomes of its child.
type lie struct {
	name   string
	stream func(w http.ResponseWriter, r *http.Request)
	get    string
	state  string
	fault  string // how it begins
	cancel bool
}

// limit is the time of the child: short if it is what ends it.
func (l *lie) limit() time.Duration {
	if strings.HasPrefix(l.fault, "it worked for longer") {
		return 1500 * time.Millisecond
	}
	return time.Minute
}
