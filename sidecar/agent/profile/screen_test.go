package profile_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// screen is the snapshot of a screen of which only the text is known.
func screen(text string) term.Snapshot {
	s := term.Snapshot{Cols: 120, Rows: 40, Lines: make([]term.Line, 0, 40)}
	for row := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		s.Lines = append(s.Lines, term.Line{Text: strings.TrimRight(row, " ")})
	}
	for len(s.Lines) < s.Rows {
		s.Lines = append(s.Lines, term.Line{})
	}
	s.Rows = len(s.Lines)
	return s
}

// readScreen returns a screen in an agent's folder.
func readScreen(t testing.TB, agent, name string) term.Snapshot {
	t.Helper()
	return screen(golden.Read(t, filepath.Join("..", agent, "testdata", name+".screen")))
}

func load(t testing.TB, name string) *profile.Profile {
	t.Helper()
	p, err := agent.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestQuestionsOfRecordedScreens(t *testing.T) {
	yesNo := func(always string) []profile.Option {
		return []profile.Option{
			{ID: "1", Label: "Yes", Kind: profile.AllowOnce, Keys: []string{"1"}},
			{ID: "2", Label: always, Kind: profile.AllowAlways, Keys: []string{"2"}},
			{ID: "3", Label: "No", Kind: profile.RejectOnce, Keys: []string{"3"}},
		}
	}
	esc := []string{"\x1b"}
	for _, tt := range []struct {
		profile, screen string
		want            profile.Question
	}{
		{"claude", "permission.ask-bash", profile.Question{
			Kind: "permission", Rule: "permission prompt", Text: "Do you want to proceed?", Cancel: esc,
			Detail:  "Bash command\n\n  touch zz.txt && echo done\n  stub asks to run a command",
			Options: yesNo("Yes, and always allow access to work/ from this project"),
		}},
		{"claude", "permission.ask-write", profile.Question{
			Kind: "permission", Rule: "permission prompt", Text: "Do you want to create f.txt?", Cancel: esc,
			Detail:  "Create file\nf.txt\n 1 abc",
			Options: yesNo("Yes, allow all edits during this session (shift+tab)"),
		}},
		{"claude", "328-ask-bash", profile.Question{
			Kind: "permission", Rule: "permission prompt", Text: "Do you want to proceed?", Cancel: esc,
			Detail: "Bash command\nstub asks to run a command\necho permitted > /home/agent/work/osc.txt",
			Options: []profile.Option{
				{ID: "1", Label: "Yes", Kind: profile.AllowOnce, Keys: []string{"1"}},
				{ID: "2", Label: "Yes, and always allow access to /home/agent/work from this project", Kind: profile.AllowAlways, Keys: []string{"2"}},
				{ID: "3", Label: "Yes, and switch to auto mode · auto mode handles these prompts for you", Kind: profile.Other, Keys: []string{"3"}},
				{ID: "4", Label: "No", Kind: profile.RejectOnce, Keys: []string{"4"}},
			},
		}},
		{"claude", "328-ask-question", profile.Question{
			Kind: "question", Rule: "question of the agent", Text: "Which branch?", Cancel: esc,
			Options: []profile.Option{
				{ID: "1", Label: "main", Kind: profile.Other, Keys: []string{"1"}},
				{ID: "2", Label: "dev", Kind: profile.Other, Keys: []string{"2"}},
			},
		}},
		{"claude", "dialogs.1", profile.Question{
			Kind: "question", Rule: "folder trust menu", Text: claudeTrustText, Cancel: esc,
			Detail: claudeTrust,
			Options: []profile.Option{
				{ID: "1", Label: "Yes, I trust this folder", Kind: profile.AllowAlways, Keys: []string{"\r"}},
				{ID: "2", Label: "No, exit", Kind: profile.RejectOnce, Keys: []string{"\x1b[B", "\r"}},
			},
		}},
		{"claude", "dialogs.2", profile.Question{
			Kind: "question", Rule: "folder trust menu", Text: claudeTrustText, Cancel: esc,
			Detail: claudeTrust,
			Options: []profile.Option{
				{ID: "1", Label: "Yes, I trust this folder", Kind: profile.AllowAlways, Keys: []string{"\x1b[A", "\r"}},
				{ID: "2", Label: "No, exit", Kind: profile.RejectOnce, Keys: []string{"\r"}},
			},
		}},
		{"claude", "apikey-dialog.1", profile.Question{
			Kind: "question", Rule: "menu", Text: "Do you want to use this API key?", Cancel: esc,
			Detail: "Detected a custom API key in your environment\n\nANTHROPIC_API_KEY: sk-ant-...sk-test",
			Options: []profile.Option{
				{ID: "1", Label: "Yes", Kind: profile.AllowOnce, Keys: []string{"\x1b[A", "\r"}},
				{ID: "2", Label: "No (recommended)", Kind: profile.RejectOnce, Keys: []string{"\r"}},
			},
		}},
		{"claude", "328-seen.ready", profile.Question{
			Kind: "question", Rule: "auto mode menu", Text: "Make auto mode your default permission mode?",
			Detail: "Auto mode lets Claude handle permission prompts automatically. Claude checks each tool call for risky actions and\nprompt injection before executing, runs the ones it assesses as lower-risk, and blocks the rest.",
			Options: []profile.Option{
				{ID: "1", Label: "Yes, set auto mode as my default permission mode", Kind: profile.AllowAlways, Keys: []string{"\r"}},
				{ID: "2", Label: "No, keep manual mode", Kind: profile.RejectOnce, Keys: []string{"\x1b[B", "\r"}},
			},
		}},
		{"codex", "permission.ask-shell", profile.Question{
			Kind: "permission", Rule: "permission prompt", Text: "Would you like to run the following command?", Cancel: esc,
			Detail: "Environment: local\n\nReason: stub wants to run outside the sandbox\n\n$ touch /root/zz-escape #escalate",
			Options: []profile.Option{
				{ID: "1", Label: "Yes, proceed (y)", Kind: profile.AllowOnce, Keys: []string{"y"}},
				{ID: "2", Label: "Yes, and don't ask again for commands that start with `touch /root/zz-escape #escalate` (p)", Kind: profile.AllowAlways, Keys: []string{"p"}},
				{ID: "3", Label: "No, and tell Codex what to do differently (esc)", Kind: profile.RejectOnce, Keys: esc},
			},
		}},
		{"codex", "fresh.1", profile.Question{
			Kind: "question", Rule: "menu", Cancel: esc,
			Text: "Trust this folder? Codex can read, edit, and run files here, subject to your permission settings. Folder settings can run code automatically, even without a model request. Continue only if you trust these files. Your trust decision will be saved.",
			Options: []profile.Option{
				{ID: "1", Label: "Trust and continue", Kind: profile.AllowAlways, Keys: []string{"\r"}},
				{ID: "2", Label: "Back to Agent Command Center", Kind: profile.RejectOnce, Keys: []string{"\x1b[B", "\r"}},
			},
		}},
		{"gemini", "permission.ask-shell", profile.Question{
			Kind: "permission", Rule: "permission prompt", Text: "Allow execution of [Shell]?", Cancel: esc,
			Detail: "? Shell  touch zz.txt\ntouch zz.txt",
			Options: []profile.Option{
				{ID: "1", Label: "Allow once", Kind: profile.AllowOnce, Keys: []string{"1"}},
				{ID: "2", Label: "Allow for this session", Kind: profile.AllowAlways, Keys: []string{"2"}},
				{ID: "3", Label: "No, suggest changes (esc)", Kind: profile.RejectOnce, Keys: esc},
			},
		}},
		{"gemini", "permission.ask-write", profile.Question{
			Kind: "permission", Rule: "permission prompt", Text: "Apply this change?", Cancel: esc,
			Detail: "? WriteFile  Writing to g.txt\n1 abc",
			Options: []profile.Option{
				{ID: "1", Label: "Allow once", Kind: profile.AllowOnce, Keys: []string{"1"}},
				{ID: "2", Label: "Allow for this session", Kind: profile.AllowAlways, Keys: []string{"2"}},
				{ID: "4", Label: "No, suggest changes (esc)", Kind: profile.RejectOnce, Keys: esc},
			},
		}},
		{"gemini", "fresh.1", profile.Question{
			Kind: "question", Rule: "menu", Text: "Do you trust the files in this folder?",
			Detail: "Trusting a folder allows Gemini CLI to load its local configurations, including custom commands, hooks, MCP\nservers, agent skills, and settings. These configurations could execute code on your behalf or change the behavior\nof the CLI.",
			Options: []profile.Option{
				{ID: "1", Label: "Trust folder (work)", Kind: profile.AllowAlways, Keys: []string{"\r"}},
				{ID: "2", Label: "Trust parent folder (agents)", Kind: profile.AllowAlways, Keys: []string{"\x1b[B", "\r"}},
				{ID: "3", Label: "Don't trust", Kind: profile.RejectOnce, Keys: []string{"\x1b[B", "\x1b[B", "\r"}},
			},
		}},
		{"opencode", "permission.ask-shell", profile.Question{
			Kind: "permission", Rule: "permission prompt", Text: "Permission required", Cancel: esc,
			Detail:  "  # Shell command\n\n$ touch zz.txt",
			Options: openCodeOptions(),
		}},
		{"opencode", "permission.ask-write", profile.Question{
			Kind: "permission", Rule: "permission prompt", Text: "Permission required", Cancel: esc,
			Detail:  "  → Edit oc.txt\n\n1 + abc",
			Options: openCodeOptions(),
		}},
		{"claude", "197-fetch", profile.Question{
			Kind: "permission", Rule: "permission prompt", Text: "Do you want to allow Claude to fetch this content?", Cancel: esc,
			Detail: "Fetch\n\n  url: \"http://127.0.0.1:1/x\", prompt: \"p\"\n  Claude wants to fetch content from 127.0.0.1",
			Options: []profile.Option{
				{ID: "1", Label: "Yes", Kind: profile.AllowOnce, Keys: []string{"1"}},
				{ID: "2", Label: "Yes, and don't ask again for 127.0.0.1", Kind: profile.AllowAlways, Keys: []string{"2"}},
				{ID: "3", Label: "No, and tell Claude what to do differently (esc)", Kind: profile.RejectOnce, Keys: []string{"3"}},
			},
		}},
		{"claude", "197-plan", profile.Question{
			Kind: "permission", Rule: "permission prompt", Text: "Claude wants to exit plan mode", Cancel: esc,
			Detail: "Exit plan mode?",
			Options: []profile.Option{
				{ID: "1", Label: "Yes", Kind: profile.AllowOnce, Keys: []string{"1"}},
				{ID: "2", Label: "No", Kind: profile.RejectOnce, Keys: []string{"2"}},
			},
		}},
		{"claude", "197-multi", profile.Question{
			Kind: "question", Rule: "question of several answers", Text: "Which branch shall it be?", Cancel: esc,
			Options: []profile.Option{
				{ID: "1", Label: "main", Kind: profile.Other, Keys: []string{"1", "\x1b[C"}},
				{ID: "2", Label: "dev", Kind: profile.Other, Keys: []string{"2", "\x1b[C"}},
			},
		}},
		{"claude", "197-review", profile.Question{
			Kind: "question", Rule: "review of the answers", Text: "Ready to submit your answers?", Cancel: esc,
			Detail: "● Which branch shall it be?\n  → main\n● And how?\n  → slow",
			Options: []profile.Option{
				{ID: "1", Label: "Submit answers", Kind: profile.AllowOnce, Keys: []string{"1"}},
				{ID: "2", Label: "Cancel", Kind: profile.RejectOnce, Keys: []string{"2"}},
			},
		}},
		{"claude", "328-settings-error", profile.Question{
			Kind: "question", Rule: "menu", Text: "Files with errors are skipped entirely, not just the invalid settings.", Cancel: esc,
			Detail: "Settings Error\n\n/home/agent/home/.claude/settings.json\n└ permissions.defaultMode: Invalid value. Expected one of: \"acceptEdits\", \"auto\", \"bypassPermissions\", \"default\",\n" +
				"  \"dontAsk\", \"plan\"\n\nValid modes: \"acceptEdits\" (ask before file changes), \"plan\" (analysis only), \"bypassPermissions\" (auto-accept all),\n" +
				"or \"default\" (standard behavior)\nLearn more: https://code.claude.com/docs/en/iam#permission-modes",
			Options: []profile.Option{
				{ID: "1", Label: "Fix with Claude", Kind: profile.Other, Keys: []string{"\r"}},
				{ID: "2", Label: "Exit and fix manually", Kind: profile.RejectOnce, Keys: []string{"\x1b[B", "\r"}},
				{ID: "3", Label: "Continue without these settings", Kind: profile.Other, Keys: []string{"\x1b[B", "\x1b[B", "\r"}},
			},
		}},
		{"opencode", "always", profile.Question{
			Kind: "permission", Rule: "always allow", Text: "Always allow", Cancel: esc,
			Detail: "This will allow the following patterns until OpenCode is restarted\n\n- touch *",
			Options: []profile.Option{
				{ID: "1", Label: "Confirm", Kind: profile.AllowAlways, Keys: []string{"\r"}},
				{ID: "2", Label: "Cancel", Kind: profile.RejectOnce, Keys: esc},
			},
		}},
		{"opencode", "question", profile.Question{
			Kind: "question", Rule: "question of the agent", Text: "Which branch?", Cancel: esc,
			Options: []profile.Option{
				{ID: "1", Label: "main", Kind: profile.Other, Keys: []string{"1"}},
				{ID: "2", Label: "dev", Kind: profile.Other, Keys: []string{"2"}},
			},
		}},
		{"opencode", "multi", profile.Question{
			Kind: "question", Rule: "question of several answers", Text: "Which branch? (select all that apply)", Cancel: esc,
			Options: []profile.Option{
				{ID: "1", Label: "main", Kind: profile.Other, Keys: []string{"1", "\t"}},
				{ID: "2", Label: "dev", Kind: profile.Other, Keys: []string{"2", "\t"}},
			},
		}},
		{"opencode", "confirm", profile.Question{
			Kind: "question", Rule: "review of the answers", Text: "Review", Cancel: esc,
			Detail: "Branch: main",
			Options: []profile.Option{
				{ID: "1", Label: "enter submit", Kind: profile.AllowOnce, Keys: []string{"\r"}},
				{ID: "2", Label: "esc dismiss", Kind: profile.RejectOnce, Keys: esc},
			},
		}},
	} {
		t.Run(tt.screen, func(t *testing.T) {
			q, ok := load(t, tt.profile).Question(readScreen(t, tt.profile, tt.screen))
			if !ok {
				t.Fatal("no question was read")
			}
			got := *q
			if len(got.ID) != 16 {
				t.Errorf("the id is %q", got.ID)
			}
			got.ID = ""
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

const claudeTrustText = "Quick safety check: Is this a project you created or one you trust? (Like your own code, a well-known open source " +
	"project, or work from your team). If not, take a moment to review what's in this folder first."

const claudeTrust = `Accessing workspace:

/home/agent/work


Claude Code'll be able to read, edit, and execute files here.

Security guide`

func openCodeOptions() []profile.Option {
	return []profile.Option{
		{ID: "1", Label: "Allow once", Kind: profile.AllowOnce, Keys: []string{"\r"}},
		{ID: "2", Label: "Allow always", Kind: profile.AllowAlways, Keys: []string{"\x1b[C", "\r"}},
		{ID: "3", Label: "Reject", Kind: profile.RejectOnce, Keys: []string{"\x1b"}},
	}
}

// brief is a question in one line.
func brief(q *profile.Question) string {
	var b strings.Builder
	b.WriteString(q.Text + ":")
	for _, o := range q.Options {
		fmt.Fprintf(&b, " %s/%s/", o.Label, o.Kind)
		for _, k := range o.Keys {
			fmt.Fprintf(&b, "%q", k)
		}
	}
	return b.String()
}
