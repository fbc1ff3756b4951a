package codex_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// replay plays a recording: what the recorded client sent is waited for, and what codex said then is said.
// What was not asked then is refused, as an earlier version does.
func replay(t *testing.T, f *fake, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]json.RawMessage{} // of the recording, and ours for it
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var l struct {
			Dir string
			Msg wire
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if l.Dir == "<-" {
			if l.Msg.Method == "" {
				l.Msg.ID = ids[string(l.Msg.ID)]
			}
			line, err := json.Marshal(l.Msg)
			if err != nil {
				t.Fatal(err)
			}
			f.says("%s", line)
			continue
		}
		if l.Msg.Method == "turn/interrupt" {
			f.peer.Cancel("thread-1")
		}
		for {
			w := await.One(t, f.got, l.Msg.Method)
			if w.Method != l.Msg.Method {
				f.refuses(w, "unknown method")
				continue
			}
			ids[string(l.Msg.ID)] = w.ID
			if w.Method == "" && string(w.Result) != string(l.Msg.Result) {
				t.Errorf("answered %s, want %s", w.Result, l.Msg.Result)
			}
			break
		}
	}
}

func TestARecordedCodexIsUnderstood(t *testing.T) {
	f := newFake(t)
	said := &story{permit: always(peer.Answer{Allowed: true}, nil)}
	end := async(func() (string, error) {
		if err := f.peer.Start(t.Context()); err != nil {
			return "", err
		}
		id, err := f.peer.Open(t.Context(), peer.Conversation{})
		if err != nil {
			return "", err
		}
		for _, text := range []string{"hello app server", "TOOL:shell touch apps.txt #escalate"} {
			e, err := f.peer.Prompt(t.Context(), id, peer.Message{Text: text}, said)
			said.add("ok=%v canceled=%v %q %s %v", e.OK, e.Canceled, e.Reason, usage(e.Usage), err)
		}
		e, err := f.peer.Prompt(t.Context(), id, peer.Message{}, &story{})
		if !e.Canceled {
			err = fmt.Errorf("%+v, %w", e, err)
		}
		return id, err
	})
	replay(t, f, "testdata/app-server.jsonl")
	if id, err := end(t); id != "thread-1" || err != nil {
		t.Fatal(id, err)
	}
	told := said.String()
	for _, words := range []string{"TOOLRESULT: ", "Chunk "} {
		if !strings.Contains(told, fmt.Sprintf("say %q", words)) {
			t.Errorf("%q was not said", words)
		}
	}
	var rest []string
	for _, line := range said.lines {
		if !strings.HasPrefix(line, "say ") {
			rest = append(rest, line)
		}
	}
	(&story{lines: rest}).expect(t,
		"usage 10 5 stub-model",
		`ok=true canceled=false "" 10 5 stub-model <nil>`,
		`tool call_stub000687 in_progress execute shell touch apps.txt #escalate {"command":"/bin/bash -lc 'touch apps.txt #escalate'","cwd":"/home/agent/work"}`,
		`permit call_stub000687 execute shell | touch apps.txt #escalate command=touch apps.txt #escalate dir=/home/agent/work`,
		`tool call_stub000687 completed execute shell touch apps.txt #escalate {"command":"/bin/bash -lc 'touch apps.txt #escalate'","cwd":"/home/agent/work"}`,
		"usage 10 5 stub-model", "usage 20 10 stub-model",
		`ok=true canceled=false "" 20 10 stub-model <nil>`)
	if a := f.peer.About(); a.Version != "0.169.0" || a.Protocol != "app-server" || !a.Resumes {
		t.Errorf("about %+v", a)
	}
}

func TestWhatCodexSaysIsTold(t *testing.T) {
	f := opened(t)
	said := &story{}
	end := f.prompted(said)
	f.notes("item/agentMessage/delta", `"itemId":"m1","delta":"one "`)
	f.notes("item/agentMessage/delta", `"itemId":"m1","delta":"two"`)
	f.notes("item/completed", `"item":{"type":"agentMessage","id":"m1","text":"one two"}`)
	f.notes("item/completed", `"item":{"type":"agentMessage","id":"m2","text":"whole"}`)
	f.notes("item/reasoning/summaryTextDelta", `"itemId":"r1","delta":"a","summaryIndex":0`)
	f.notes("item/reasoning/textDelta", `"itemId":"r1","delta":"the same in full"`)
	f.notes("item/reasoning/summaryTextDelta", `"itemId":"r1","delta":"b","summaryIndex":1`)
	f.notes("item/completed", `"item":{"type":"reasoning","id":"r1","summary":["a","b"],"content":[]}`)
	f.notes("item/completed", `"item":{"type":"reasoning","id":"r2","summary":[],"content":["c"]}`)
	f.notes("turn/plan/updated", `"plan":[{"step":"x","status":"inProgress"},{"step":"y","status":"pending"},{"step":"z","status":"completed"}]`)
	f.notes("item/completed", `"item":{"type":"plan","id":"p1","text":"the plan"}`)
	f.notes("item/completed", `"item":{"type":"userMessage","id":"x1","content":[{"type":"text","text":"hello"}]}`)
	f.notes("warning", `"message":"not of the answer"`)
	f.notes("model/rerouted", `"fromModel":"big","toModel":"small"`)
	f.notes("item/completed", `"item":{"type":"imageGeneration","id":"g1","status":"completed","result":"AAEC"}`)
	f.completes("completed", "")
	if e, err := end(t); !e.OK || err != nil || e.Usage.Model != "small" {
		t.Errorf("%+v, %v", e, err)
	}
	said.expect(t,
		`say "one "`, `say "two"`, "paragraph", `say "whole"`,
		`think "a"`, `think "\n\nb"`, `think "\n\nc"`,
		"plan [{x  in_progress} {y  pending} {z  completed}]",
		"paragraph", `say "the plan"`, "usage unknown",
		"tool g1 completed other image_generation image generation", "part image/png 3")
}

func TestToolsOfCodexAreTold(t *testing.T) {
	f := opened(t)
	said := &story{}
	end := f.prompted(said)
	for _, it := range []string{
		`{"type":"commandExecution","id":"c","command":"ls","cwd":"/w","status":"inProgress"}`,
		`{"type":"fileChange","id":"f","status":"inProgress","changes":[{"path":"/a","kind":{"type":"add"},"diff":"new\n"},{"path":"/b","kind":{"type":"update","move_path":null},"diff":"@@ -1,2 +1,2 @@\n same\n-old\n+new\n@@ -9 +9 @@\n-x\n+y\n"},{"path":"/c","kind":{"type":"delete"},"diff":"gone"}]}`,
		`{"type":"mcpToolCall","id":"m","server":"s","tool":"t","status":"inProgress","arguments":{"a":1}}`,
		`{"type":"webSearch","id":"w","query":"q","action":{"type":"search"}}`,
		`{"type":"webSearch","id":"w2","query":"","action":{"type":"open_page","url":"https://x"}}`,
		`{"type":"imageView","id":"v","path":"/p.png"}`,
		`{"type":"dynamicToolCall","id":"d","namespace":"n","tool":"t","status":"inProgress","arguments":{}}`,
		`{"type":"collabAgentToolCall","id":"a","tool":"spawnAgent","status":"inProgress","prompt":"do"}`,
		`{"type":"sleep","id":"z"}`,
		`{"type":"tomorrow","id":"n1","status":"inProgress","arguments":{}}`,
		`{"type":"nothing","id":"n2"}`, `{"type":"commandExecution"}`, `"text"`, `{"id":7}`,
	} {
		f.notes("item/started", `"item":`+it)
	}
	f.notes("item/commandExecution/outputDelta", `"itemId":"c","delta":"o"`)
	f.notes("item/commandExecution/outputDelta", `"itemId":"c","delta":"ut"`)
	f.notes("item/completed", `"item":{"type":"commandExecution","id":"c","command":"ls","status":"declined","aggregatedOutput":"out!"}`)
	f.notes("item/fileChange/patchUpdated", `"itemId":"f","changes":[{"path":"/a","kind":{"type":"delete"},"diff":"x"}]`)
	f.notes("item/mcpToolCall/progress", `"itemId":"m","message":"half"`)
	f.notes("item/completed", `"item":{"type":"mcpToolCall","id":"m","server":"s","tool":"t","status":"completed","result":{"content":[{"type":"text","text":"pong"},{"type":"image"}]}}`)
	f.notes("item/completed", `"item":{"type":"mcpToolCall","id":"m9","server":"s","tool":"t","status":"failed","error":{"message":"broken"}}`)
	f.notes("item/completed", `"item":{"type":"dynamicToolCall","id":"d","tool":"t","status":"completed","contentItems":[{"type":"inputText","text":"said"}]}`)
	f.completes("completed", "")
	if e, err := end(t); !e.OK || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
	said.expect(t,
		`tool c in_progress execute shell ls {"command":"ls","cwd":"/w"}`,
		`tool f in_progress edit apply_patch edit a, b, c {"changes":[{"path":"/a","kind":"add"},{"path":"/b","kind":"update"},{"path":"/c","kind":"delete"}]} /a:"new\n" /b:"same\nold\n">"same\nnew\n" /b:"x\n">"y\n" /c:"gone">"" @/a @/b @/c`,
		`tool m in_progress other s.t s.t {"a":1}`,
		`tool w in_progress search web_search q {"query":"q"}`,
		`tool w2 in_progress fetch web_search https://x {"url":"https://x"}`,
		`tool v in_progress read view_image /p.png {"path":"/p.png"} @/p.png`,
		`tool d in_progress other n.t n.t {}`,
		`tool a in_progress other spawnAgent spawnAgent {"prompt":"do"}`,
		`tool z in_progress other sleep sleep`,
		`tool n1 in_progress other tomorrow tomorrow`,
		`tool c in_progress out="o"`, `tool c in_progress out="out"`,
		`tool c failed execute shell ls {"command":"ls"} out="out!"`,
		`tool f delete delete a {"changes":[{"path":"/a","kind":"delete"}]} /a:"x">"" @/a`,
		`tool m out="half"`,
		`tool m completed other s.t s.t out="pong"`,
		`tool m9 failed other s.t s.t out="broken"`,
		`tool d completed other t t out="said"`)
}

// What is of another conversation or turn is not told, and neither is what comes after the end.
func TestOnlyTheTurnIsTold(t *testing.T) {
	f := opened(t)
	said := &story{permit: always(peer.Answer{Allowed: true}, nil)}
	end := f.prompted(said)
	for _, at := range []string{`"threadId":"t2","turnId":"u1"`, `"threadId":"t1","turnId":"u0"`, `"threadId":"t1"`, `"threadId":5`} {
		f.says(`{"method":"item/agentMessage/delta","params":{%s,"itemId":"m","delta":"other"}}`, at)
		f.says(`{"method":"error","params":{%s,"error":{"message":"other"}}}`, at)
	}
	f.says(`{"method":"turn/completed","params":{"threadId":"t2","turn":{"id":"u1","status":"completed"}}}`)
	f.says(`{"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u0","status":"completed"}}}`)
	f.says(`{"method":"turn/started","params":{"threadId":"t1","turn":{"id":"u7","status":"inProgress"}}}`)
	f.says(`{"id":1,"method":"item/commandExecution/requestApproval","params":{"threadId":"t2","turnId":"u1","itemId":"c","command":"ls"}}`)
	if got := f.answered(); got != `{"decision":"decline"}` {
		t.Errorf("another conversation's approval is answered %s", got)
	}
	// One of an agent that this turn has started is asked in its name.
	f.notes("item/started", `"item":{"type":"collabAgentToolCall","id":"a","tool":"spawnAgent","status":"inProgress","receiverThreadIds":["t3"]}`)
	f.says(`{"id":2,"method":"item/commandExecution/requestApproval","params":{"threadId":"t3","turnId":"u9","itemId":"c","command":"ls"}}`)
	if got := f.answered(); got != `{"decision":"accept"}` {
		t.Errorf("a started agent's approval is answered %s", got)
	}
	f.completes("completed", "")
	if e, err := end(t); !e.OK || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
	f.notes("item/agentMessage/delta", `"itemId":"m","delta":"late"`)
	f.says(`{"id":3,"method":"item/commandExecution/requestApproval","params":{"threadId":"t1","turnId":"u1","itemId":"c","command":"ls"}}`)
	if got := f.answered(); got != `{"decision":"decline"}` {
		t.Errorf("a late approval is answered %s", got)
	}
	said.expect(t, "tool a in_progress other spawnAgent spawnAgent {}", "permit c execute shell | ls command=ls")
}

func TestHowATurnEnds(t *testing.T) {
	for name, c := range map[string]struct {
		before, status, more string
		want                 peer.Ending
	}{
		"well":      {status: "completed", want: peer.Ending{OK: true}},
		"stopped":   {status: "interrupted", want: peer.Ending{Canceled: true}},
		"failed":    {status: "failed", more: `,"error":{"message":"no such model","additionalDetails":"gpt"}`, want: peer.Ending{Reason: "no such model: gpt"}},
		"by server": {status: "failed", more: `,"error":{"message":"{\"error\":{\"message\":\"stub failure\"}}"}`, want: peer.Ending{Reason: "stub failure"}},
		"earlier":   {before: `{"message":"first"}`, status: "failed", want: peer.Ending{Reason: "first"}},
		"recovered": {before: `{"message":"first"}`, status: "completed", want: peer.Ending{OK: true}},
		"silently":  {status: "failed", want: peer.Ending{Reason: "codex says that the turn has failed, and not why"}},
		"strangely": {status: "tomorrow", want: peer.Ending{Reason: "codex says that the turn has failed, and not why"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := opened(t)
			end := f.prompted(&story{})
			if c.before != "" {
				f.notes("error", `"willRetry":true,"error":`+c.before)
			}
			f.completes(c.status, c.more)
			got, err := end(t)
			got.Usage = peer.Usage{}
			if got != c.want || err != nil {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestATurnThatIsRefused(t *testing.T) {
	f := opened(t)
	end := async(func() (peer.Ending, error) { return f.peer.Prompt(t.Context(), "t1", peer.Message{}, &story{}) })
	f.refuses(f.next("turn/start"), "too many")
	if e, err := end(t); e.OK || e.Reason != "too many" || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := f.peer.Prompt(t.Context(), "t9", peer.Message{}, &story{}); err == nil {
		t.Error("a conversation that is not open has turns")
	}
}

// Images go by their paths, and the text as it is.
func TestWhatCodexIsSent(t *testing.T) {
	f := opened(t)
	end := async(func() (peer.Ending, error) {
		return f.peer.Prompt(t.Context(), "t1", peer.Message{
			Text:  "look /f/a.png /f/b.svg",
			Parts: []a2a.Part{a2a.TextPart("look"), {Kind: a2a.PartRaw, MediaType: "image/png"}, {Kind: a2a.PartRaw, MediaType: "image/svg+xml"}},
			Files: map[int]string{1: "/f/a.png", 2: "/f/b.svg"},
		}, &story{})
	})
	w := f.next("turn/start")
	if want := `{"threadId":"t1","input":[{"type":"text","text":"look /f/a.png /f/b.svg"},{"type":"localImage","path":"/f/a.png"}]}`; string(w.Params) != want {
		t.Errorf("sent %s", w.Params)
	}
	f.peer.Close()
	if _, err := end(t); !errors.Is(err, peer.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestTheEndOfThePromptsContext(t *testing.T) {
	f := opened(t)
	why := errors.New("the process has ended")
	ctx, cancel := context.WithCancelCause(t.Context())
	asked := make(chan struct{})
	said := &story{permit: func(ctx context.Context, a peer.Action) (peer.Answer, error) {
		close(asked)
		return until(ctx, a)
	}}
	end := async(func() (peer.Ending, error) { return f.peer.Prompt(ctx, "t1", peer.Message{}, said) })
	f.replies(f.next("turn/start"), `{"turn":{"id":"u1"}}`)
	f.says(`{"method":"turn/started","params":{"threadId":"t1","turn":{"id":"u1"}}}`)
	f.says(`{"id":1,"method":"item/fileChange/requestApproval","params":{"threadId":"t1","turnId":"u1","itemId":"c"}}`)
	await.One(t, asked, "the question")
	cancel(why)
	if _, err := end(t); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	if got := f.answered(); got != `{"decision":"cancel"}` {
		t.Errorf("the approval is answered %s", got)
	}
}
