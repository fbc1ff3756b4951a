package sidecar_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

const traceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// TestMetrics: what a sidecar did is in its metrics, and nothing that was said
// to it.
func TestMetrics(t *testing.T) {
	t.Parallel()
	manifest := writeManifest(t, `[{"name":"test.exec","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["cat"]}}}}]`)
	r := run(t, "--mode", "oneshot", "--manifest", manifest, "--", "sh", "-c", `read -r l; [ "$l" != wait ] || exec sleep 61; echo "$l"`)
	r.send("hello")
	id := r.begin("wait").ID
	await.True(r.t, "it works", func() bool {
		return r.metric(`sidecar_tasks{state="working"}`) == 1 && r.metric("sidecar_processes") == 1 && r.metric("sidecar_turns_running") == 1
	})
	if _, err := r.client().Cancel(r.context(), &a2a.CancelRequest{ID: id}); err != nil {
		t.Fatal(err)
	}
	r.do("POST", "/a2a/tools/test.exec", "application/json", `{"a":1}`)
	r.do("POST", "/a2a/tools/test.none", "application/json", `{"a":1}`)
	st, err := r.client().Stream(r.context(), &a2a.SendRequest{Message: userMessage("hello")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := firstEvents(r.context(), st, 100); err != nil {
		t.Fatal(err)
	}
	writeFile(t, manifest, "[")
	await.True(r.t, "the bad manifest is refused", func() bool { return r.metric(`sidecar_manifest_reloads_total{result="refused"}`) == 1 })
	writeFile(t, manifest, "[]")
	await.True(r.t, "the good one is taken", func() bool {
		return r.metric(`sidecar_manifest_reloads_total{result="ok"}`) == 1 && r.metric("sidecar_manifest_tools") == 0
	})
	await.True(r.t, "all have ended", func() bool {
		return r.metric("sidecar_streams_open") == 0 && r.metric("sidecar_processes") == 0 && r.metric("sidecar_turns_running") == 0
	})
	for name, want := range map[string]int{
		`sidecar_requests_total{operation="SendMessage",binding="jsonrpc",version="1.0",code="2xx"}`: 2,
		`sidecar_requests_total{operation="CancelTask",binding="jsonrpc",version="1.0",code="2xx"}`:  1,
		`sidecar_requests_total{operation="CallTool",binding="http",version="",code="2xx"}`:          1,
		`sidecar_requests_total{operation="CallTool",binding="http",version="",code="4xx"}`:          1,
		`sidecar_requests_in_flight`:                                      1, // this one
		`sidecar_streams_total`:                                           1,
		`sidecar_tasks_created_total`:                                     5,
		`sidecar_tasks_finished_total{state="completed"}`:                 3,
		`sidecar_tasks_finished_total{state="canceled"}`:                  1,
		`sidecar_tasks_finished_total{state="rejected"}`:                  1,
		`sidecar_tasks{state="working"}`:                                  0,
		`sidecar_turns_total{state="completed"}`:                          2,
		`sidecar_turns_total{state="canceled"}`:                           1,
		`sidecar_calls_total{outcome="final"}`:                            1,
		`sidecar_calls_total{outcome="unknown_tool"}`:                     1,
		`sidecar_call_duration_seconds_count`:                             2,
		`sidecar_request_duration_seconds_count{operation="SendMessage"}`: 2,
		`sidecar_turns_waiting`:                                           0,
		`sidecar_calls_waiting`:                                           0,
		`sidecar_ready`:                                                   1,
	} {
		if got := r.metric(name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	if r.metric("sidecar_received_bytes_total") < 400 || r.metric("sidecar_sent_bytes_total") < 1000 || r.metric("go_goroutines") < 3 {
		t.Errorf("bytes or goroutines:\n%s", r.getPath("/metrics").body)
	}
}

// TestMetricsAreBounded: nobody can add a series by what they ask.
func TestMetricsAreBounded(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--", "cat")
	storm := func(mark string) {
		for i := range 20 {
			word := fmt.Sprintf("%s%d", mark, i)
			for _, path := range []string{"/" + word, "/a2a/tools/test." + word, "/message:" + word, "/tasks/" + word, "/v1/tasks/" + word} {
				r.do("GET", path, "", "")
				r.do("POST", path, "application/json", "{}")
			}
			r.do(strings.ToUpper(word), "/", "", "")
			r.do("POST", "/?A2A-Version="+word, "application/json", `{"jsonrpc":"2.0","id":1,"method":"`+word+`","params":{}}`)
		}
	}
	r.getPath("/metrics") // its own are there from then on
	storm("a")
	before := r.getPath("/metrics").body
	storm("b")
	after := r.getPath("/metrics").body
	if b, a := strings.Count(before, "\n"), strings.Count(after, "\n"); a > b {
		t.Errorf("%d series became %d:\n%s", b, a, after)
	}
}

// TestLogLines: every message's task and every call that ends has one line, with the same
// attributes always, and none with a word of what was said.
func TestLogLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	writeFile(t, tokens, "alice:a-token-of-some-length\n")
	manifest := writeManifest(t, `[{"name":"test.exec","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["cat"]}}}}]`)
	r := run(t, "--mode", "oneshot", "--token-file", tokens, "--manifest", manifest, "--", "cat")
	if got := r.getPath("/metrics").status; got != http.StatusUnauthorized {
		t.Errorf("/metrics without a token: %d", got)
	}
	post := func(path, body string) {
		t.Helper()
		req, err := http.NewRequestWithContext(r.context(), "POST", r.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer a-token-of-some-length")
		req.Header.Set("traceparent", traceParent)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != 200 {
			t.Fatalf("%s: %d", path, res.StatusCode)
		}
	}
	post("/message:send", `{"message":{"messageId":"m","contextId":"ctx-1","role":"ROLE_USER","parts":[{"text":"secretword"}]}}`)
	post("/a2a/tools/test.exec", `{"a":"secretword"}`)
	r.log.Says(t, `"msg":"tool call ended"`)

	task := map[string]string{"state": "TASK_STATE_COMPLETED", "caller": "alice", "trace": traceParent[3:35], "context": "ctx-1"}
	call := map[string]string{"tool": "test.exec", "outcome": "final", "caller": "alice", "trace": traceParent[3:35], "door": "http"}
	count := map[string]int{}
	for line := range strings.Lines(r.log.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		msg := fmt.Sprint(entry["msg"])
		count[msg]++
		keys := slices.Sorted(maps.Keys(entry))
		switch msg {
		case "task ended":
			holds(t, entry, task)
			if want := []string{"bytes", "caller", "context", "duration_ms", "level", "msg", "state", "task", "time", "trace"}; !slices.Equal(keys, want) {
				t.Errorf("%v: %s", keys, line)
			}
		case "tool call ended":
			holds(t, entry, call)
			if want := []string{"bytes", "call", "caller", "context", "door", "duration_ms", "level", "msg", "outcome", "task", "time", "tool", "trace"}; !slices.Equal(keys, want) {
				t.Errorf("%v: %s", keys, line)
			}
		}
	}
	if count["task ended"] != 1 || count["tool call ended"] != 1 {
		t.Errorf("lines: %v", count)
	}
	if strings.Contains(r.log.String(), "secretword") {
		t.Error("the log tells what was said")
	}
}

func holds(t *testing.T, entry map[string]any, want map[string]string) {
	t.Helper()
	for k, v := range want {
		if entry[k] != v {
			t.Errorf("%s is %v, want %s", k, entry[k], v)
		}
	}
}
