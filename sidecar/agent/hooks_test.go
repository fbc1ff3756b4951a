package agent_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Each file is what one agent told its hooks in a real session: "> payload", and
// "< the report".
func TestWhatAgentsToldTheirHooks(t *testing.T) {
	golden.Each(t, "*/testdata/hooks*.txtar", 1, func(t *testing.T, file string) {
		a := agent.Named(strings.Split(file, "/")[0])
		archive := golden.Archive(t, file)
		tail := func(name string) []byte {
			for _, f := range archive.Files {
				if f.Name == name {
					return f.Data
				}
			}
			return nil
		}
		var got strings.Builder
		for line := range strings.Lines(string(archive.Files[0].Data)) {
			if payload, ok := strings.CutPrefix(line, "> "); ok {
				got.WriteString(line + "< " + agenttest.Describe(a.Read([]byte(payload), tail)) + "\n")
			}
		}
		archive.Files[0].Data = []byte(got.String())
		golden.Same(t, file, string(txtar.Format(archive)))
	})
}

func TestWhatCannotBeReadSaysNothing(t *testing.T) {
	for _, a := range append(agent.Known(), agent.Named("")) {
		for _, payload := range []string{
			"", "null", "[]", "{}", "{", "\x00", `"Stop"`, `{"hook_event_name":7}`, `{"hook_event_name":"Whatever"}`,
			`{"hook_event_name":"SubagentStop","last_assistant_message":"x"}`, `{"type":"approval-requested"}`,
			`{"hook_event_name":"Notification","notification_type":"auth_success"}`, `{"hook_event_name":"SessionEnd","reason":"clear"}`,
		} {
			if r, ok := a.Read([]byte(payload), nil); ok {
				t.Errorf("%s made %+v of %q", a.Name, r, payload)
			}
		}
	}
}

func TestPayloadsAndMessagesAreBounded(t *testing.T) {
	claude := agent.Named("claude")
	long := strings.Repeat("ü", spec.MaxMessage)
	r, ok := claude.Read([]byte(`{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"`+long+`"}}`), nil)
	if !ok || len(r.Message) > spec.MaxMessage+len("…") || !utf8.ValidString(r.Message) || !strings.HasPrefix(r.Message, "Bash: üü") {
		t.Errorf("%v, a message of %d bytes", ok, len(r.Message))
	}
	if _, ok := claude.Read([]byte(`{"hook_event_name":"Stop","x":"`+strings.Repeat("x", spec.MaxPayload)+`"}`), nil); ok {
		t.Error("a payload that is too long was read")
	}
}

func FuzzRead(f *testing.F) {
	for _, file := range golden.Files(f, "*/testdata/hooks*.txtar", 1) {
		archive := golden.Archive(f, file)
		for line := range strings.Lines(string(archive.Files[0].Data)) {
			if payload, ok := strings.CutPrefix(line, "> "); ok {
				f.Add([]byte(payload), archive.Files[len(archive.Files)-1].Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, payload, transcript []byte) {
		for _, a := range agent.Known() {
			r, ok := a.Read(payload, func(string) []byte { return transcript })
			if ok && (r.State == "" || r.Kind != "" && r.State != channel.ReportAsking || len(r.Message) > spec.MaxMessage+len("…")) {
				t.Errorf("the channel would not take %+v", r)
			}
		}
	})
}

func TestOthersAreLeftAlone(t *testing.T) {
	o := agenttest.Launch(t, "bash", "-i")
	plan := agenttest.Prepare(t, agent.Named("bash"), o)
	if !slices.Equal(plan.Argv, o.Argv) || !slices.Equal(plan.Env, o.Env) || plan.Source != nil {
		t.Errorf("started as %+v", plan)
	}
	left, err := os.ReadDir(o.Dir)
	if err != nil || len(left) > 0 {
		t.Errorf("files %v, %v", left, err)
	}
}

func TestNoChannelNoHooks(t *testing.T) {
	for _, name := range []string{"claude", "gemini"} {
		for _, take := range []func(*spec.Launch){
			func(o *spec.Launch) { o.Dir = "" }, func(o *spec.Launch) { o.Socket = "" }, func(o *spec.Launch) { o.Self = "" }, func(o *spec.Launch) { o.Token = "" },
		} {
			o := agenttest.Launch(t, name)
			if name == "gemini" {
				if o.Dir = "/run"; os.Geteuid() != 0 {
					continue
				}
			}
			take(&o)
			agenttest.Refuses(t, agent.Named(name), o, "no channel")
		}
	}
	agenttest.Refuses(t, agent.Named("claude"), agenttest.Launch(t), "no command")
}
