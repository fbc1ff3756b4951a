package claude_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// A cancel that comes before claude has taken the message up has no effect there: it is told again.
func TestACancelIsToldAgainWhenTheTurnBegins(t *testing.T) {
	f := start(t)
	f.settled()
	f.peer.Cancel(session) // without a turn it does nothing
	on := &events{}
	ends, _ := f.prompt("a long one", on)
	f.peer.Cancel("another conversation")
	f.peer.Cancel(session)
	first := f.request("interrupt")
	f.grant(first, wire{})
	f.say(began())
	f.request("interrupt")
	f.say(messageStart("m1"))
	f.request("interrupt")
	f.say(result(wire{"is_error": true, "terminal_reason": "aborted_streaming"}))
	if e := await(t, ends); e.err != nil || !e.Canceled {
		t.Errorf("the turn ended as %+v", e)
	}
	// What comes late is no part of the next turn.
	f.say(words("late"))
	next := &events{}
	ends, _ = f.prompt("the next", next)
	f.say(began())
	f.say(words("ours"))
	f.say(result(nil))
	if e := await(t, ends); !e.OK || next.String() != "say ours" {
		t.Errorf("the turn ended as %+v; told:\n%s", e, next)
	}
}

// claude begins turns by itself. They are nobody's, also if a message comes meanwhile.
func TestTurnsOfClaudesOwn(t *testing.T) {
	f := start(t)
	f.settled()
	f.say(began())
	f.say(words("by myself"))
	on := &events{}
	ends, _ := f.prompt("hello", on)
	f.say(words("still by myself"))
	f.say(mayUse("r1", "t1", "Bash", wire{"command": "ls"}))
	if answer := f.next(); answer.path("response", "response", "behavior") != "deny" {
		t.Errorf("the answer is %v", answer)
	}
	f.say(result(wire{"origin": wire{"kind": "task-notification"}, "total_cost_usd": 1.0}))
	f.say(began())
	f.say(words("hello back"))
	f.say(result(wire{"total_cost_usd": 1.5}))
	if e := await(t, ends); !e.OK || *e.Usage.Cost != 0.5 || on.String() != "say hello back" {
		t.Errorf("the turn ended as %+v; told:\n%s", e, on)
	}
}

func TestWhatATurnTells(t *testing.T) {
	f := start(t)
	f.settled()
	on := &events{}
	ends, _ := f.prompt("plan it", on)
	f.say(began())
	f.say(wire{"type": "system", "subtype": "api_retry", "attempt": 2, "error_status": 529, "error": "overloaded"})
	f.say(wire{"type": "rate_limit_event", "rate_limit_info": wire{"status": "allowed"}})
	f.say(wire{"type": "rate_limit_event", "rate_limit_info": wire{"status": "rejected", "resetsAt": 7}})
	f.say(wire{"type": "stream_event", "parent_tool_use_id": nil, "event": wire{"type": "content_block_delta", "delta": wire{"type": "thinking_delta", "thinking": "hm"}}})
	f.say(wire{"type": "stream_event", "parent_tool_use_id": nil, "event": wire{"type": "content_block_start", "content_block": wire{"type": "tool_use", "id": "t0", "name": "Read"}}})
	f.say(uses("sub", "t0", "Read", wire{"file_path": "/work/a"}))
	f.say(uses(nil, "t1", "TodoWrite", wire{"todos": []wire{{"content": "one", "status": "in_progress"}, {"content": "two", "status": "pending"}}}))
	done := func(id string, structured any, failed bool) wire {
		return wire{"type": "user", "parent_tool_use_id": nil, "tool_use_result": structured, "message": wire{"content": []wire{
			{"type": "tool_result", "tool_use_id": id, "is_error": failed, "content": []wire{{"type": "text", "text": "so"}, {"type": "image"}}}}}}
	}
	f.say(done("t0", "text", true))
	f.say(uses(nil, "t2", "TaskCreate", wire{"subject": "three"}))
	f.say(done("t2", wire{"task": wire{"id": "1", "subject": "three"}}, false))
	f.say(uses(nil, "t3", "TaskUpdate", wire{"taskId": "1", "status": "completed"}))
	f.say(done("t3", wire{"success": true}, false))
	f.say(uses(nil, "t4", "Write", wire{"file_path": "/work/a", "content": "new"}))
	f.say(done("t4", wire{"filePath": "/work/a", "content": "new", "originalFile": "old"}, false))
	f.say(wire{"type": "assistant", "parent_tool_use_id": nil, "error": "unknown", "message": wire{"id": "x", "content": []wire{{"type": "text", "text": "API Error"}}}})
	f.say(wire{"type": "assistant", "parent_tool_use_id": nil, "message": wire{"id": "y", "content": []wire{{"type": "text", "text": "whole"}}}})
	f.say(wire{"type": "user", "isReplay": true, "message": wire{"content": []wire{{"type": "tool_result", "tool_use_id": "t9"}}}})
	f.say(result(wire{"stop_reason": "max_tokens", "result": "whole"}))
	if e := await(t, ends); !e.OK || e.Reason != "max_tokens" {
		t.Errorf("the turn ended as %+v", e)
	}
	want := `note modelRetry {"attempt":2,"status":529,"reason":"overloaded"}
note rateLimit {"status":"rejected","resets_at":7}
think hm
tool t0 Read pending read
tool t0 Read in_progress read "Read /work/a"
tool t1 TodoWrite in_progress think "TodoWrite"
plan [{Content:one Priority: Status:in_progress} {Content:two Priority: Status:pending}]
tool t0 Read failed output="so"
tool t2 TaskCreate in_progress think "TaskCreate three"
tool t2 TaskCreate completed output="so"
plan [{Content:one Priority: Status:in_progress} {Content:two Priority: Status:pending} {Content:three Priority: Status:pending}]
tool t3 TaskUpdate in_progress think "TaskUpdate"
tool t3 TaskUpdate completed output="so"
plan [{Content:one Priority: Status:in_progress} {Content:two Priority: Status:pending} {Content:three Priority: Status:completed}]
tool t4 Write in_progress edit "Write /work/a" diff=/work/a: "new"
tool t4 Write completed output="so" diff=/work/a: "old" -> "new"
say whole`
	if on.String() != want {
		t.Errorf("told:\n%s\nwant:\n%s", on, want)
	}
}

func TestImagesAreSentAsSuch(t *testing.T) {
	f := start(t)
	f.settled()
	ends := make(chan error, 1)
	go func() {
		_, err := f.peer.Prompt(t.Context(), session, peer.Message{Text: "see /x/a.png", Parts: []a2a.Part{
			{Kind: a2a.PartText, Text: "see"}, {Kind: a2a.PartRaw, Raw: []byte("png"), MediaType: "image/png; x=y"}, {Kind: a2a.PartRaw, Raw: []byte("tiff"), MediaType: "image/tiff"},
		}}, &events{})
		ends <- err
	}()
	content, _ := f.next().path("message", "content").([]any)
	if len(content) != 2 || wire(content[0].(map[string]any)).path("source", "data") != base64.StdEncoding.EncodeToString([]byte("png")) || wire(content[1].(map[string]any)).path("text") != "see /x/a.png" {
		t.Errorf("claude gets %v", content)
	}
	f.say(result(nil))
	if err := await(t, ends); err != nil {
		t.Error(err)
	}
}

func TestWhatCannotBeReadIsPassedOver(t *testing.T) {
	f := start(t)
	f.settled()
	on := &events{}
	ends, _ := f.prompt("hello", on)
	f.say(began())
	long := strings.Repeat("x", 32<<20)
	for _, line := range []string{"", "no JSON", "[]", `{"type":7}`, `{"type":"stream_event","event":7}`, `{"type":"control_response"}`, `{"type":"control_response","response":{"request_id":"none"}}`,
		`{"type":"assistant","message":{"content":"text"}}`, `{"type":"new"}`, `{"type":"user","long":"` + long + `"}`} {
		f.say(line)
	}
	f.say(`{"type":"control_request","request_id":"r1","request":"` + long + `"}`)
	if answer := f.next(); answer.path("response", "subtype") != "error" || answer.path("response", "request_id") != "r1" {
		t.Errorf("the answer is %v", answer)
	}
	f.say(words("hi"))
	f.say(`{"modelUsage":{},"result":"` + long + `","type":"result"}`)
	if e := await(t, ends); e.err != nil || e.OK || !strings.Contains(e.Reason, "longer than") || on.String() != "say hi" {
		t.Errorf("the turn ended as %.200v; told:\n%s", e, on)
	}
}

func TestPromptEndsWithItsContextAndTheConnection(t *testing.T) {
	f := start(t)
	f.settled()
	if _, err := f.peer.Prompt(t.Context(), "another", peer.Message{}, &events{}); err == nil {
		t.Error("another conversation was taken")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	ends := make(chan error, 1)
	go func() {
		_, err := f.peer.Prompt(ctx, session, peer.Message{Text: "x"}, &events{})
		ends <- err
	}()
	f.next()
	why := errors.New("gone")
	cancel(why)
	if err := await(t, ends); !errors.Is(err, why) {
		t.Errorf("the error is %v", err)
	}
	f.peer.Close()
	if _, err := f.peer.Prompt(t.Context(), session, peer.Message{Text: "x"}, &events{}); !errors.Is(err, peer.ErrClosed) {
		t.Errorf("the error is %v", err)
	}
}
