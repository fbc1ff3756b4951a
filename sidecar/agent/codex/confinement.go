package codex

import (
	"regexp"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// confinement is what codex uses in a sandbox: nothing of the workspace. Seen with 0.169.
func confinement() *spec.Confinement {
	return &spec.Confinement{
		Modes:     []string{"stream"},
		State:     []spec.Place{{Path: "~/.codex", Variable: "CODEX_HOME"}},
		Hosts:     []string{"api.openai.com:443", "chatgpt.com:443", "auth.openai.com:443"}, // the last one renews a login
		Variables: []string{"OPENAI_BASE_URL"},
		Models:    models,
	}
}

// models returns the addresses of the models in the user's settings.
func models(l *spec.Launch) (urls []string) {
	address := regexp.MustCompile(`(?m)(?:^|[\s.{,])["']?(?:openai_base_url|chatgpt_base_url|base_url)["']?\s*=\s*["']([^"'\n]+)["']`)
	for _, path := range configFiles(l) {
		data, err := spec.ReadUserFile(path)
		if err != nil {
			continue // codex says it
		}
		for _, found := range address.FindAllSubmatch(data, -1) {
			urls = append(urls, string(found[1]))
		}
	}
	return urls
}
