package hook_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/hook"
)

var update = flag.Bool("update", false, "rewrite what is compared with in testdata")

// describe writes a report in a line, "-" for none.
func describe(r channel.Report, ok bool) string {
	if !ok {
		return "-"
	}
	var b strings.Builder
	b.WriteString(string(r.State))
	if r.Kind != "" {
		b.WriteString(" " + r.Kind)
	}
	if r.Final {
		b.WriteString(" final")
	}
	for _, field := range []struct{ name, value string }{{"text", r.Text}, {"message", r.Message}, {"prompt", r.Prompt}, {"id", r.ID}} {
		if field.value != "" {
			fmt.Fprintf(&b, " %s=%q", field.name, field.value)
		}
	}
	return b.String()
}

// Each file is what one agent told its hooks in a real session: "> payload", and
// "< the report".
func TestWhatAgentsToldTheirHooks(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		agent, _, _ := strings.Cut(filepath.Base(file), "-")
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
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
					got.WriteString(line + "< " + describe(hook.Read(agent, []byte(payload), tail)) + "\n")
				}
			}
			if diff := cmp.Diff(string(archive.Files[0].Data), got.String()); diff != "" && !*update {
				t.Error(diff)
			}
			if archive.Files[0].Data = []byte(got.String()); *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestWhatCannotBeReadSaysNothing(t *testing.T) {
	for _, agent := range []string{"claude", "codex", "gemini", "opencode", "bash", ""} {
		for _, payload := range []string{
			"", "null", "[]", "{}", "{", "\x00", `"Stop"`, `{"hook_event_name":7}`, `{"hook_event_name":"Whatever"}`,
			`{"hook_event_name":"SubagentStop","last_assistant_message":"x"}`, `{"type":"approval-requested"}`,
			`{"hook_event_name":"Notification","notification_type":"auth_success"}`, `{"hook_event_name":"SessionEnd","reason":"clear"}`,
		} {
			if r, ok := hook.Read(agent, []byte(payload), nil); ok {
				t.Errorf("%s made %+v of %q", agent, r, payload)
			}
		}
	}
}

func TestPayloadsAndMessagesAreBounded(t *testing.T) {
	long := strings.Repeat("ü", hook.MaxMessage)
	r, ok := hook.Read("claude", []byte(`{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"`+long+`"}}`), nil)
	if !ok || len(r.Message) > hook.MaxMessage+len("…") || !utf8.ValidString(r.Message) || !strings.HasPrefix(r.Message, "Bash: üü") {
		t.Errorf("%v, a message of %d bytes", ok, len(r.Message))
	}
	if _, ok := hook.Read("claude", []byte(`{"hook_event_name":"Stop","x":"`+strings.Repeat("x", hook.MaxPayload)+`"}`), nil); ok {
		t.Error("a payload that is too long was read")
	}
}

// A tool's arguments may have any shape.
func TestAnyToolMayAskForPermission(t *testing.T) {
	for input, want := range map[string]string{
		`{"command":"ls"}`: "X: ls", `{"file_path":"/a","content":"b"}`: "X: /a", `{"url":"https://x/"}`: "X: https://x/",
		`{"command":["ls"]}`: "X", `7`: "X", `null`: "X", `{}`: "X",
	} {
		r, ok := hook.Read("claude", []byte(`{"hook_event_name":"PermissionRequest","tool_name":"X","tool_input":`+input+`}`), nil)
		if !ok || r.State != channel.ReportAsking || r.Kind != "permission" || r.Message != want {
			t.Errorf("%s: %s, want %q", input, describe(r, ok), want)
		}
	}
}

func TestTailIsTheEndOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chat.jsonl")
	cut := strings.Repeat("x", 4<<20) + "\n"
	if err := os.WriteFile(file, []byte(cut+`{"type":"gemini","content":"the answer"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, ok := hook.Read("gemini", []byte(`{"hook_event_name":"AfterAgent","transcript_path":"`+file+`"}`), hook.Tail)
	if got, want := describe(r, ok), `ready final text="the answer"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, missing := range []string{file + "x", filepath.Dir(file), ""} {
		r, ok := hook.Read("gemini", []byte(`{"hook_event_name":"AfterAgent","transcript_path":"`+missing+`"}`), hook.Tail)
		if got := describe(r, ok); got != "ready final" {
			t.Errorf("without a transcript: %s", got)
		}
	}
}

// claude 2.1.328 marks a long text that was pasted, between others.
func TestMarksAroundAPasteAreNoPartOfThePrompt(t *testing.T) {
	const payload = `{"hook_event_name":"UserPromptSubmit","prompt":"before\n\n<pasted_content id=\"d61e\">\nfirst\n\n  <b>second</b>\n</pasted_content id=\"d61e\">\n\nafter <pasted_content id=\"x\">y</pasted_content>"}`
	r, ok := hook.Read("claude", []byte(payload), nil)
	if !ok || !hook.Concerns(r, "before\nfirst\n\n  <b>second</b>\nafter y") {
		t.Errorf("%v, %q", ok, r.Prompt)
	}
}

func TestConcerns(t *testing.T) {
	for _, c := range []struct {
		prompt, typed string
		want          bool
	}{
		{"", "anything", true}, {"a b", "a b", true}, {"a b\nc", " a  b c\n", true}, {"a b", "a", false},
		// An agent may compose what was typed as letters and marks (NFC).
		{"caf\u00e9 \ub098", "cafe\u0301 \u1102\u1161", true}, {"caf\u00e8 x", "cafe\u0301", false}, {"caf\u00e9", "cafe", false},
	} {
		if got := hook.Concerns(channel.Report{Prompt: c.prompt}, c.typed); got != c.want {
			t.Errorf("a report about %q concerns %q: %v", c.prompt, c.typed, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(archive.Files[0].Data)) {
			if payload, ok := strings.CutPrefix(line, "> "); ok {
				f.Add([]byte(payload), archive.Files[len(archive.Files)-1].Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, payload, transcript []byte) {
		for _, agent := range []string{"claude", "codex", "gemini"} {
			r, ok := hook.Read(agent, payload, func(string) []byte { return transcript })
			if ok && (r.State == "" || r.Kind != "" && r.State != channel.ReportAsking || len(r.Message) > hook.MaxMessage+len("…")) {
				t.Errorf("the channel would not take %+v", r)
			}
		}
	})
}
