package subagent_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/subagent"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// An agent that lies, hangs or says too much breaks its own child, which is canceled there.
func TestLyingAgents(t *testing.T) {
	t.Parallel()
	hang := func(r *http.Request) { <-r.Context().Done() }
	big := strings.Repeat("x", 1<<20)
	for _, c := range []lie{
		{"never ends", func(w http.ResponseWriter, r *http.Request) { says(w, aTask); hang(r) }, "", tool.SubFailed, "it worked for longer than 1.5s, which is the limit", true},
		{"50 MiB of text", func(w http.ResponseWriter, r *http.Request) {
			for says(w, aTask); says(w, words(big)); {
			}
		}, "", tool.SubFailed, "it has said more than 4MiB, which is the limit", true},
		{"one event of 50 MiB", func(w http.ResponseWriter, r *http.Request) {
			says(w, aTask)
			io.WriteString(w, "data: ")
			for range 50 {
				io.WriteString(w, big)
			}
			hang(r)
		}, "", tool.SubFailed, "it worked for longer", true},
		{"another task's events", func(w http.ResponseWriter, r *http.Request) {
			says(w, aTask, strings.ReplaceAll(done, "t1", "t2"))
			hang(r)
		}, "", tool.SubFailed, "it speaks of another task", true},
		{"files without end", func(w http.ResponseWriter, r *http.Request) {
			says(w, aTask)
			for i := 0; says(w, fmt.Sprintf(`{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"f%d","parts":[{"raw":"AAAA","filename":"f"}]}}}`, i)); i++ {
			}
		}, "", tool.SubFailed, "it has given more than 64 files or 16MiB, which is the limit", true},
		{"artifacts without end", func(w http.ResponseWriter, r *http.Request) {
			says(w, aTask)
			for i := 0; says(w, fmt.Sprintf(`{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a%d","parts":[{"text":""}]}}}`, i)); i++ {
			}
		}, "", tool.SubFailed, "it has made more than 10000 artifacts, which is the limit", true},
		{"an artifact with a long id", func(w http.ResponseWriter, r *http.Request) {
			says(w, aTask, `{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"`+big+`","parts":[{"text":""}]}}}`)
			hang(r)
		}, "", tool.SubFailed, "it gives an artifact an id of more than 512 bytes", true},
		{"it breaks off, and ends well", func(w http.ResponseWriter, r *http.Request) { says(w, aTask, words("half ")) },
			`{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"half and half"}]}]}`, tool.SubCompleted, "", false},
		{"it fails", func(w http.ResponseWriter, r *http.Request) {
			says(w, aTask, `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"no \u001b[31mmoney"}]}}}}`)
		}, "", tool.SubFailed, "no money", false},
		{"it asks, and nobody is there", func(w http.ResponseWriter, r *http.Request) {
			says(w, aTask, `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"why?"}]}}}}`)
		}, "", tool.SubFailed, "it has asked more than 100 questions, which is the limit", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := lies(t, goodCard, c.stream)
			l.get = c.get
			d := newDesk(t, `{"url":"`+l.url+`"}`, c.limit())
			child, err := d.start()
			if err != nil {
				t.Fatal(err)
			}
			st := d.end(child)
			if st.State != c.state || !strings.HasPrefix(st.Fault, c.fault) || c.fault == "" && st.Fault != "" {
				t.Errorf("%s: %s, want %s: %s", st.State, st.Fault, c.state, c.fault)
			}
			if canceled, _ := l.count(); canceled > 0 != c.cancel {
				t.Errorf("it was canceled %d times", canceled)
			}
			if c.state == tool.SubCompleted && child.Text(0) != "half and half" {
				t.Errorf("it said %q", child.Text(0))
			}
			n, _ := delegation.ReadNote(d.root.Snapshot(nil, false).Metadata)
			if len(n.Children) != 1 || !n.Children[0].State.Terminal() {
				t.Errorf("the parent says %+v", n)
			}
		})
	}
}

// An agent that does not take the work, or not as it should, is an error for the model.
func TestAgentsThatTakeNothing(t *testing.T) {
	t.Parallel()
	wrong := func(result string) func(w http.ResponseWriter, r *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) { says(w, result) }
	}
	for _, c := range []struct {
		name, card, entry, want string
		stream                  func(w http.ResponseWriter, r *http.Request)
	}{
		{"dead", goodCard, `{"url":"http://127.0.0.1:1"}`, "the agent liar cannot be used: its card cannot be had: ", nil},
		{"no card", `<html>`, "", "the agent liar cannot be used: its card is no JSON of a card", nil},
		{"does not stream", `{"capabilities":{}}`, "", "the agent liar cannot be used: its card does not say that it streams, which is needed to follow it", nil},
		{"another version", `{"capabilities":{"streaming":true},"supportedInterfaces":[{"url":"URL","protocolBinding":"JSONRPC","protocolVersion":"0.3"}]}`, "", "the agent liar cannot be used: its card has no interface of A2A 1.0 by JSON-RPC", nil},
		{"another card", goodCard, `{"url":"URL","card":{"sha256":"` + strings.Repeat("00", 32) + `"}}`, "the agent liar cannot be used: its card is another one than the operator has seen: agents.json pins the SHA-256 digest 0000", nil},
		{"a redirect of the card", "", "", "the agent liar cannot be used: its card cannot be had: ", nil},
		{"no token", goodCard, `{"url":"URL","tokenFile":"/nowhere/token"}`, "the agent liar cannot be reached: its token file cannot be read", nil},
		{"types", goodCard, "", "the agent liar cannot be reached: ", wrong(`{"task":7}`)},
		{"an id that is none", goodCard, "", "it gives the task an id that is none", wrong(`{"task":{"id":"a b","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`)},
		{"an event first", goodCard, "", "it has sent an event before the task", wrong(done)},
		{"a refusal", goodCard, "", "the agent liar cannot be reached: ", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }},
		{"a redirect", goodCard, "", "the agent liar cannot be reached: ", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := lies(t, c.card, c.stream)
			entry := c.entry
			if entry == "" {
				entry = `{"url":"URL"}`
			}
			d := newDesk(t, strings.ReplaceAll(entry, "URL", l.url), time.Minute)
			if _, err := d.start(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if _, streams := l.count(); c.stream == nil && streams > 0 {
				t.Error("it was sent the work")
			}
		})
	}
}

// An agent without the extension is told of, and gets nothing if the desk is strict.
func TestAgentWithoutTheExtension(t *testing.T) {
	t.Parallel()
	l := lies(t, plain, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/rpc" {
			t.Errorf("it is spoken to at %s", r.URL.Path)
		}
		says(w, aTask, words("fine"), done)
	})
	strict := newDesk(t, `{"url":"`+l.url+`"}`, time.Minute, func(o *subagent.DeskOptions) { o.Strict = true })
	const refused = "the agent liar does not know the extension " + delegation.URI + ": the rules and the budget of this task would not hold there, and it is given nothing"
	if _, err := strict.start(); err == nil || err.Error() != refused {
		t.Errorf("strict: %v", err)
	}
	if _, streams := l.count(); streams != 0 {
		t.Fatal("it was sent the work")
	}
	d := newDesk(t, `{"url":"`+l.url+`"}`, time.Minute)
	child, err := d.start()
	if err != nil {
		t.Fatal(err)
	}
	if st := d.end(child); !st.Unheld || st.State != tool.SubCompleted || child.Text(0) != "fine" {
		t.Errorf("%+v %q", st, child.Text(0))
	}
	if !strings.Contains(d.log.String(), "does not know the limits of it") {
		t.Errorf("the log says %s", d.log)
	}
	if n, _ := delegation.ReadNote(d.root.Snapshot(nil, false).Metadata); len(n.Children) != 1 || !n.Children[0].Unheld {
		t.Errorf("the parent says %+v", n)
	}
}

// A card that is pinned is checked for each piece of work: one that changes while the sidecar runs is refused, in words that say what to do.
func TestPinnedCardThatChanges(t *testing.T) {
	t.Parallel()
	l := lies(t, goodCard, func(w http.ResponseWriter, _ *http.Request) { says(w, aTask, done) })
	digest := func() string { return fmt.Sprintf("%x", sha256.Sum256([]byte(l.shown()))) }
	pinned := digest()
	d := newDesk(t, `{"url":"`+l.url+`","card":{"sha256":"`+strings.ToUpper(pinned)+`"}}`, time.Minute)
	child, err := d.start()
	if err != nil {
		t.Fatal(err)
	}
	d.end(child)
	l.mu.Lock()
	l.card = strings.Replace(l.card, "{", "{ ", 1)
	l.mu.Unlock()
	want := "the agent liar cannot be used: its card is another one than the operator has seen: agents.json pins the SHA-256 digest " + pinned + " for it, and it has " + digest() +
		" now; if the operator trusts the new card, its digest goes there (curl -s " + l.url + "/.well-known/agent-card.json | sha256sum)"
	if _, err := d.start(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, streams := l.count(); streams != 1 {
		t.Errorf("it was given work %d times", streams)
	}
}

// The desk's end, and the parent's, end the children; a parent that completes leaves them.
func TestEndsOfChildren(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(d *desk)
		want string
	}{
		"close":    {func(d *desk) { d.Close() }, tool.SubCanceled},
		"cancel":   {func(d *desk) { d.root.Cancel(task.ErrCanceled) }, tool.SubCanceled},
		"fail":     {func(d *desk) { _ = d.root.Finish(a2a.StateFailed, nil, nil) }, tool.SubCanceled},
		"complete": {func(d *desk) { _ = d.root.Finish(a2a.StateCompleted, nil, nil) }, tool.SubCompleted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			goOn := make(chan struct{})
			l := lies(t, goodCard, func(w http.ResponseWriter, r *http.Request) {
				says(w, aTask)
				select {
				case <-goOn:
					says(w, done)
				case <-r.Context().Done():
				}
			})
			d := newDesk(t, `{"url":"`+l.url+`"}`, time.Minute)
			child, err := d.start()
			if err != nil {
				t.Fatal(err)
			}
			c.end(d)
			if c.want == tool.SubCompleted {
				close(goOn)
			}
			if st := d.end(child); st.State != c.want {
				t.Errorf("%+v", st)
			}
			if canceled, _ := l.count(); canceled > 0 != (c.want == tool.SubCanceled) {
				t.Errorf("it was canceled %d times", canceled)
			}
		})
	}
}

func TestTokenIsShown(t *testing.T) {
	t.Parallel()
	l := lies(t, goodCard, func(w http.ResponseWriter, _ *http.Request) { says(w, aTask, done) })
	file := t.TempDir() + "/token"
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, `{"url":"`+l.url+`","tokenFile":"`+file+`"}`, time.Minute)
	child, err := d.start()
	if err != nil {
		t.Fatal(err)
	}
	d.end(child)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.auth {
		if a != "Bearer s3cret" {
			t.Errorf("a request has %q", a)
		}
	}
}

// What a child has used counts as its agent tells; of a task that cannot be asked for, all that the child was given; of an answer that is no
// task, nothing.
func TestUseOfAChild(t *testing.T) {
	t.Parallel()
	const ended = `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"},"metadata":{"` + delegation.URI + `":{"calls":1,"costUsd":0}}}`
	const message = `{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"fine"}]}}`
	for _, c := range []struct {
		name, get string
		says      []string
		left      int64
	}{
		{"told", ended, []string{aTask, done}, 3},
		{"cannot be asked", "", []string{aTask, done}, 2},
		{"a message", "", []string{message}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := lies(t, goodCard, func(w http.ResponseWriter, _ *http.Request) { says(w, c.says...) })
			l.get = c.get
			d := newDesk(t, `{"url":"`+l.url+`"}`, time.Minute)
			d.root = task.NewRegistry(task.Options{}).Create("", "", &a2a.Message{Role: a2a.RoleUser}, nil)
			d.work = delegation.New(delegation.Options{Depth: 2, Children: 2, Budget: delegation.NewBudget(4, 0, 0)}).Of(d.root)
			child, err := d.start()
			if err != nil {
				t.Fatal(err)
			}
			d.end(child)
			if left := d.work.Left(); *left.Calls != c.left {
				t.Errorf("%d calls are left, want %d", *left.Calls, c.left)
			}
		})
	}
}
