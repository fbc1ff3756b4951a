package agents_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// agent is one of the CLIs, and what makes it start without a dialog.
type agent struct {
	name   string
	binary string // below SIDECAR_AGENTS_DIR
	// files are what its HOME has, env its environment besides the usual.
	files func(p place, model string) map[string]string
	env   func(model string) []string
	// oneshot are its arguments when it gets one message on stdin.
	oneshot []string
	// asks is added to a shell command to make the agent ask.
	asks string
}

func (a agent) command() string { return filepath.Join(os.Getenv("SIDECAR_AGENTS_DIR"), a.binary) }

func agents() []agent {
	claude := func(version string, settings any) agent {
		return agent{
			name: "claude-" + version, binary: "claude-" + version + "/node_modules/.bin/claude", oneshot: []string{"-p"},
			files: func(p place, _ string) map[string]string {
				return map[string]string{
					".claude/settings.json": encode(settings),
					".claude.json": encode(object{
						"hasCompletedOnboarding": true, "theme": "dark", "autoUpdates": false, "hasSeenAutoDefaultNudge": true,
						"projects": object{p.work: object{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
					}),
				}
			},
			env: func(model string) []string {
				return []string{"ANTHROPIC_BASE_URL=" + model, "ANTHROPIC_AUTH_TOKEN=sk-test", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
					"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1"}
			},
		}
	}
	all := []agent{
		claude("2.1.328", object{"tui": "default", "permissions": object{"defaultMode": "default"}}),
		claude("2.1.197", object{}),
		{
			name: "codex", binary: "others/node_modules/.bin/codex", asks: " #escalate", oneshot: []string{"exec", "--skip-git-repo-check", "-"},
			files: func(p place, model string) map[string]string {
				return map[string]string{".codex/config.toml": fmt.Sprintf(codexConfig, model, p.work)}
			},
			env: func(string) []string { return []string{"STUB_API_KEY=sk-test"} },
		},
		{
			name: "gemini", binary: "others/node_modules/.bin/gemini",
			files: func(place, string) map[string]string {
				return map[string]string{".gemini/settings.json": encode(object{
					"security":  object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}},
					"privacy":   object{"usageStatisticsEnabled": false},
					"telemetry": object{"enabled": false},
					"general":   object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
				})}
			},
			env: func(model string) []string {
				return []string{"GEMINI_API_KEY=sk-test", "GOOGLE_GEMINI_BASE_URL=" + model}
			},
		},
		{
			name: "opencode", binary: "others/node_modules/.bin/opencode", oneshot: []string{"run"},
			files: func(_ place, model string) map[string]string {
				return map[string]string{".config/opencode/opencode.json": encode(object{
					"model": "stub/stub-model", "small_model": "stub/stub-model", "autoupdate": false, "share": "disabled",
					"permission": object{"bash": "ask", "edit": "ask"},
					"provider": object{"stub": object{
						"npm": "@ai-sdk/openai-compatible", "name": "Stub", "options": object{"baseURL": model + "/v1", "apiKey": "sk-test"},
						"models": object{"stub-model": object{"name": "Stub Model"}},
					}},
				})}
			},
			env: func(string) []string {
				return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
					"OPENCODE_DISABLE_SHARE=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}
			},
		},
	}
	if q := qwen(); q.installed() {
		all = append(all, q)
	}
	return all
}

// installed reports whether the agent is there. Those that not each run installs
// are looked at only then.
func (a agent) installed() bool {
	_, err := os.Stat(a.command())
	return err == nil
}

// qwen has a run of its own: make qwen.
func qwen() agent {
	return agent{
		name: "qwen", binary: "qwen/node_modules/.bin/qwen",
		files: func(place, string) map[string]string {
			return map[string]string{".qwen/settings.json": encode(object{
				"security":  object{"auth": object{"selectedType": "openai"}, "folderTrust": object{"enabled": false}},
				"privacy":   object{"usageStatisticsEnabled": false},
				"telemetry": object{"enabled": false},
				"general":   object{"enableAutoUpdate": false},
			})}
		},
		env: func(model string) []string {
			return []string{"OPENAI_API_KEY=sk-test", "OPENAI_BASE_URL=" + model + "/v1", "OPENAI_MODEL=stub-model"}
		},
	}
}

const codexConfig = `model = "stub-model"
model_provider = "stub"
check_for_update_on_startup = false
[model_providers.stub]
name = "stub"
base_url = "%s/v1"
wire_api = "responses"
env_key = "STUB_API_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[feedback]
enabled = false
[projects.%q]
trust_level = "trusted"
`

// agentNamed is one of them.
func agentNamed(t *testing.T, name string) agent {
	t.Helper()
	for _, a := range agents() {
		if a.name == name {
			return a
		}
	}
	t.Fatalf("there is no agent %q", name)
	return agent{}
}

// TestAgentConfigurations holds what is written for the agents to being what
// they can read, wherever the tests run.
func TestAgentConfigurations(t *testing.T) {
	for _, a := range agents() {
		for name, text := range a.files(place{work: "/work"}, "http://127.0.0.1:1") {
			if filepath.Ext(name) == ".json" && !json.Valid([]byte(text)) {
				t.Errorf("%s: %s is no JSON:\n%s", a.name, name, text)
			}
		}
	}
}
