package sidecar_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// acpTicker is an agent that speaks ACP and answers each prompt with the time, in as many pieces as the
// message says.
const acpTicker = `
import sys, json, time
def out(m):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **m}) + "\n"); sys.stdout.flush()
n = 0
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        out({"id": m["id"], "result": {"protocolVersion": 1, "agentCapabilities": {}}})
    elif m.get("method") == "session/new":
        n += 1
        out({"id": m["id"], "result": {"sessionId": "s%d" % n}})
    elif m.get("method") == "session/prompt":
        for _ in range(int(m["params"]["prompt"][0]["text"])):
            time.sleep(0.005)
            out({"method": "session/update", "params": {"sessionId": m["params"]["sessionId"], "update": {
                "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "%d;" % time.time_ns()}}}})
        out({"id": m["id"], "result": {"stopReason": "end_turn"}})
`

// streamTicker is the same in the stream that one agent has of its own.
const streamTicker = `#!/usr/bin/env python3
import sys, json, time
def out(m):
    sys.stdout.write(json.dumps({"session_id": "00000000-0000-4000-8000-000000000001", **m}) + "\n"); sys.stdout.flush()
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "control_request":
        out({"type": "control_response", "response": {"subtype": "success", "request_id": m["request_id"], "response": {}}})
    elif m["type"] == "user":
        out({"type": "system", "subtype": "init"})
        c = m["message"]["content"]
        for _ in range(int(c if isinstance(c, str) else c[0]["text"])):
            time.sleep(0.005)
            out({"type": "stream_event", "parent_tool_use_id": None, "event": {"type": "content_block_delta", "index": 0,
                "delta": {"type": "text_delta", "text": "%d;" % time.time_ns()}}})
        out({"type": "result", "subtype": "success", "is_error": False, "result": "", "usage": {"input_tokens": 1, "output_tokens": 1}})
`

// tickers are agents that answer with the time, by the mode in which they are spoken to.
func tickers(b *testing.B) map[string][]string {
	b.Helper()
	script := filepath.Join(b.TempDir(), "claude")
	if err := os.WriteFile(script, []byte(streamTicker), 0o755); err != nil {
		b.Fatal(err)
	}
	return map[string][]string{
		"acp":    {"--mode", "acp", "--", "python3", "-uc", acpTicker},
		"stream": {"--mode", "stream", "--", script},
	}
}

const prompt = `{"message":{"role":"ROLE_USER","messageId":"m","contextId":"one","parts":[{"text":"%d"}]}}`

// BenchmarkTokenLatency measures from a word on the standard output of an agent that is spoken to in messages to
// the client's event: the agent writes the time, the client reads it. The floor is an agent per message whose
// output is the answer.
func BenchmarkTokenLatency(b *testing.B) {
	agents := tickers(b)
	agents["floor"] = []string{"--mode", "oneshot", "--", "python3", "-uc",
		"import sys,time\nfor _ in range(int(sys.stdin.read())):\n  time.sleep(0.005)\n  sys.stdout.write(f'{time.time_ns()};')"}
	p50 := map[string]time.Duration{}
	for _, mode := range []string{"floor", "acp", "stream"} {
		b.Run(mode, func(b *testing.B) {
			base, _ := ship(b, agents[mode]...)
			for b.Loop() {
				all := latencies(openStream(b, http.MethodPost, base+"/message:stream", fmt.Sprintf(prompt, 300)))
				if len(all) < 200 {
					b.Fatalf("%d events", len(all))
				}
				p50[mode] = median(all)
				report(b, "word to SSE event, "+mode+", p50", float64(p50[mode])/1e6, "ms", "<= 0.5")
				if floor := p50["floor"]; floor > 0 {
					b.ReportMetric(float64(p50[mode])/float64(floor), "x-floor")
				}
			}
		})
	}
}

// BenchmarkSessionMemory takes one conversation through 400 turns: what the sidecar keeps of a session must not grow
// with them. The tasks that are kept are few, so that they do not count.
func BenchmarkSessionMemory(b *testing.B) {
	for mode, agent := range tickers(b) {
		b.Run(mode, func(b *testing.B) {
			base, cmd := ship(b, append([]string{"--keep-bytes", "2MiB"}, agent...)...)
			for b.Loop() {
				rss := map[int]float64{}
				for n := 1; n <= 400; n++ {
					latencies(openStream(b, http.MethodPost, base+"/message:stream", fmt.Sprintf(prompt, 1)))
					rss[n] = memory(b, cmd.Process.Pid, "VmRSS")
				}
				report(b, "RSS after 400 turns over that after 100, "+mode, rss[400]/rss[100], "x", "~ 1 (flat)")
				b.Logf("RSS after 100, 200, 300, 400 turns: %.1f %.1f %.1f %.1f MiB", rss[100]/1024, rss[200]/1024, rss[300]/1024, rss[400]/1024)
			}
		})
	}
}
