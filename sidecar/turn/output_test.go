package turn_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// recorded replays what a real agent wrote.
func recorded(t testing.TB, format, name string, code int) *rig {
	stderr := filepath.Join("testdata", name+".err")
	if _, err := os.Stat(stderr); err != nil {
		stderr = ""
	}
	return newRig(t, func(o *turn.Options) {
		plays(o, "file", filepath.Join("testdata", name+".out"), stderr, strconv.Itoa(code))
		o.OutputFormat = format
	})
}

func TestStructuredOutputOfRealAgents(t *testing.T) {
	t.Parallel()
	const ok, failed = a2a.StateCompleted, a2a.StateFailed
	for _, c := range []struct {
		name, format       string
		code               int
		state              a2a.TaskState
		answer             string
		cost, in, out, mod string
		status             string
	}{
		{"claude-json", "json", 0, ok, "ECHO: hello json", "0.000175", "10", "5", `"claude-opus-4-8[1m]"`, ""},
		{"claude-sj", "stream-json", 0, ok, "ECHO: hello sj", "0.000175", "10", "5", `"claude-opus-4-8[1m]"`, ""},
		{"claude-sjp", "stream-json", 0, ok, "ECHO: hello partial words", "0.000175", "10", "5", `"claude-opus-4-8[1m]"`, ""},
		{"claude-fail", "json", 1, failed, "", "0", "0", "0", "", "API Error: 400 stub failure"},
		{"claude-fail", "stream-json", 0, failed, "", "0", "0", "0", "", "API Error: 400 stub failure"},
		{"codex-json", "stream-json", 0, ok, "ECHO: hello json", "", "10", "5", "", ""},
		{"codex-json", "json", 0, ok, "ECHO: hello json", "", "10", "5", "", ""},
		{"codex-fail", "json", 1, failed, "", "", "", "", "", "stub failure"},
		{"gemini-json", "json", 0, ok, "ECHO: hello json", "", "20", "10", `"gemini-3.8-flash"`, ""},
		{"gemini-sj", "stream-json", 0, ok, "ECHO: hello sj", "", "20", "10", `"gemini-3.8-flash"`, ""},
		{"gemini-fail", "json", 144, failed, "", "", "", "", "", "exit status 144: the agent's output ended without a final event"},
		{"opencode-json", "stream-json", 0, ok, `ECHO: "hello json"`, "0", "10", "5", "", ""},
		{"opencode-shell-auto", "json", 0, ok, "TOOLRESULT: /bin/bash: -c: line 1: unexpected EOF while looking for matching `\"'\n", "0", "20", "10", "", ""},
		{"opencode-shell", "json", 0, failed, "", "0", "10", "5", "", "after a tool call"},
		{"opencode-fail", "json", 1, failed, "", "", "", "", "", "stub failure"},
	} {
		t.Run(c.name+"/"+c.format, func(t *testing.T) {
			got := recorded(t, c.format, c.name, c.code).ask("x")
			want(t, got, c.state, c.answer)
			if !strings.Contains(status(got), c.status) {
				t.Errorf("status says %q, want %q", status(got), c.status)
			}
			for key, value := range map[string]string{"sv.cost.usd": c.cost, "sv.usage.input_tokens": c.in, "sv.usage.output_tokens": c.out, "sv.model": c.mod} {
				if meta(got.Metadata, key) != value {
					t.Errorf("%s is %q, want %q", key, meta(got.Metadata, key), value)
				}
			}
		})
	}
}

func TestStructuredOutputStreamsDeltas(t *testing.T) {
	t.Parallel()
	r := recorded(t, "stream-json", "claude-sjp", 0)
	k := r.send("x")
	var chunks []string
	for _, e := range r.events(k.Subscribe()) {
		if e.Artifact != nil && partsText(e.Artifact.Artifact.Parts) != "" {
			chunks = append(chunks, partsText(e.Artifact.Artifact.Parts))
		}
	}
	if len(chunks) != 4 {
		t.Errorf("chunks %q, want each delta", chunks)
	}
}

func TestStructuredOutputWithoutFinalEventFails(t *testing.T) {
	t.Parallel()
	for name, out := range map[string]string{
		"nothing":   "",
		"noise":     "hello\nworld\n",
		"cut short": `{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}]}}` + "\n" + `{"type":"result","is_er`,
	} {
		file := filepath.Join(t.TempDir(), "out")
		if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
		r := newRig(t, func(o *turn.Options) {
			plays(o, "file", file, "", "0")
			o.OutputFormat = turn.FormatStreamJSON
		})
		if got := r.ask("x"); got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "without a final event") {
			t.Errorf("%s: task is %s (%q)", name, got.Status.State, status(got))
		}
	}
}

func TestThreads(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	start := func() *rig {
		return newRig(t, func(o *turn.Options) {
			o.Command = sh(`[ "$1 $2" = "--new bad" ] && exit 1; echo "$@"`)
			o.StateDir, o.ThreadCreate, o.ThreadResume = state, "--new", "--resume="
		})
	}
	r := start()
	want(t, r.end(r.sendTo("one", "x")), a2a.StateCompleted, "--new one\n")
	want(t, r.end(r.sendTo("one", "x")), a2a.StateCompleted, "--resume=one\n")
	for range 2 { // one that failed without a word was never begun
		want(t, r.end(r.sendTo("bad", "x")), a2a.StateFailed, "")
	}
	r.Close()
	if seen, _ := os.ReadFile(filepath.Join(state, "seen-threads")); string(seen) != "one\n" {
		t.Errorf("seen %q", seen)
	}
	// A write that was cut off does not spoil the next.
	if err := os.WriteFile(filepath.Join(state, "seen-threads"), []byte("one\ntw"), 0o600); err != nil {
		t.Fatal(err)
	}
	r = start()
	want(t, r.end(r.sendTo("one", "x")), a2a.StateCompleted, "--resume=one\n")
	want(t, r.end(r.sendTo("two", "x")), a2a.StateCompleted, "--new two\n")
	if seen, _ := os.ReadFile(filepath.Join(state, "seen-threads")); string(seen) != "one\ntw\ntwo\n" {
		t.Errorf("seen %q", seen)
	}
}
