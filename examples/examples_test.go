// Package examples holds the examples to what exists: every manifest is valid,
// every flag and variable is one of ours, and every base image can be chosen.
package examples

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/serverfile"
)

// theirs are the variables that the wrapped programs and images know.
var theirs = []string{"GEMINI_CLI_NO_RELAUNCH", "OPENCODE_DISABLE_AUTOUPDATE"}

func checkManifest(t *testing.T, file, text string) {
	t.Helper()
	snap, warnings, err := manifest.Parse(file, []byte(text), manifest.Options{})
	if err != nil || len(warnings) != 0 {
		t.Errorf("%s: %v, warnings %v", file, err, warnings)
	} else if len(snap.Tools()) == 0 {
		t.Errorf("%s declares nothing", file)
	}
}

func TestManifests(t *testing.T) {
	for _, f := range golden.Files(t, "*/tools.json", 1) {
		checkManifest(t, f, golden.Read(t, f))
	}
}

func TestMCPServers(t *testing.T) {
	for _, f := range golden.Files(t, "*/mcp.json", 1) {
		if _, err := serverfile.Parse(f, []byte(golden.Read(t, f)), serverfile.Options{}); err != nil {
			t.Errorf("%v", err)
		}
	}
}

func knownVariable(name string) bool {
	if name == "AGENT_CMD" || name == "AGENT_ARGS" || name == "SPRING_AGENT_ARGV" || slices.Contains(theirs, name) {
		return true
	}
	return slices.ContainsFunc(config.Settings(), func(s config.Setting) bool { return name == s.Env() || name == s.Platform })
}

// checkArgs holds the flags among a container's arguments to those of run.
func checkArgs(t *testing.T, file string, args []string) {
	t.Helper()
	for _, a := range args {
		if a == "--" {
			return
		}
		flag, isFlag := strings.CutPrefix(a, "--")
		if !isFlag {
			continue
		}
		flag, _, _ = strings.Cut(flag, "=")
		if !slices.ContainsFunc(config.Settings(), func(s config.Setting) bool { return s.Name == flag }) {
			t.Errorf("%s: run has no flag --%s", file, flag)
		}
	}
}

var (
	fromLine  = regexp.MustCompile(`(?m)^FROM (\S+)`)
	envName   = regexp.MustCompile(`(?m)(?:^ENV |^ {4})([A-Z][A-Z0-9_]*)=('[^']*'|\S+)`)
	entryLine = regexp.MustCompile(`(?m)^ENTRYPOINT (\[.*\])$`)
)

func TestDockerfiles(t *testing.T) {
	for _, f := range append(golden.Files(t, "*/Dockerfile", 1), "../Dockerfile") {
		text := golden.Read(t, f)
		for _, m := range fromLine.FindAllStringSubmatch(text, -1) {
			arg, ok := strings.CutPrefix(m[1], "${")
			arg = strings.TrimSuffix(arg, "}")
			if m[1] != "scratch" && (!ok || !strings.Contains(text, "ARG "+arg+"=")) {
				t.Errorf("%s: the base %s is not an ARG", f, m[1])
			}
		}
		for _, m := range envName.FindAllStringSubmatch(text, -1) {
			if !knownVariable(m[1]) {
				t.Errorf("%s: nobody knows the variable %s", f, m[1])
			}
			if m[1] == "SPRING_AGENT_ARGV" {
				var argv []string
				if err := json.Unmarshal([]byte(strings.Trim(m[2], "'")), &argv); err != nil || len(argv) == 0 {
					t.Errorf("%s: SPRING_AGENT_ARGV %s: %v", f, m[2], err)
				}
			}
		}
		entry := entryLine.FindStringSubmatch(text)
		var argv []string
		if entry == nil || json.Unmarshal([]byte(entry[1]), &argv) != nil || len(argv) < 2 || argv[0] != "/sidecar" || argv[1] != "run" {
			t.Errorf("%s: ENTRYPOINT %v", f, entry)
			continue
		}
		checkArgs(t, f, argv[2:])
		for _, line := range strings.Split(text, "\n") {
			if src, ok := strings.CutPrefix(line, "COPY "); ok && !strings.HasPrefix(src, "--from") && f != "../Dockerfile" {
				if _, err := os.Stat(filepath.Join(filepath.Dir(f), strings.Fields(src)[0])); err != nil {
					t.Errorf("%s: %v", f, err)
				}
			}
		}
	}
}

// TestKubernetes decodes every document, strictly where it is about us.
func TestKubernetes(t *testing.T) {
	type probe struct {
		HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
	}
	type object struct {
		Kind string
		Data map[string]string
		Spec struct {
			Template struct {
				Spec struct {
					Grace      int `yaml:"terminationGracePeriodSeconds"`
					Containers []struct {
						Args []string
						Env  []struct{ Name, Value string }

						Startup   probe `yaml:"startupProbe"`
						Readiness probe `yaml:"readinessProbe"`
						Liveness  probe `yaml:"livenessProbe"`
						Security  struct {
							ReadOnly bool `yaml:"readOnlyRootFilesystem"`
						} `yaml:"securityContext"`
						VolumeMounts []struct {
							MountPath string `yaml:"mountPath"`
							SubPath   string `yaml:"subPath"`
						} `yaml:"volumeMounts"`
					}
				}
			}
		}
	}
	kinds := map[string]int{}
	dec := yaml.NewDecoder(strings.NewReader(golden.Read(t, "kubernetes/agent.yaml")))
	for {
		var o object
		err := dec.Decode(&o)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		kinds[o.Kind]++
		for name, text := range o.Data {
			checkManifest(t, name, text)
		}
		for _, c := range o.Spec.Template.Spec.Containers {
			checkArgs(t, "agent.yaml", c.Args)
			for _, e := range c.Env {
				if !knownVariable(e.Name) {
					t.Errorf("nobody knows the variable %s", e.Name)
				}
			}
			if c.Readiness.HTTPGet.Path != "/readyz" || c.Startup.HTTPGet.Path != "/readyz" || c.Liveness.HTTPGet.Path != "/livez" || !c.Security.ReadOnly {
				t.Errorf("container %+v", c)
			}
			for _, m := range c.VolumeMounts {
				if m.SubPath != "" {
					t.Errorf("%s is mounted by subPath: it would never be updated", m.MountPath)
				}
			}
		}
	}
	if kinds["ConfigMap"] != 1 || kinds["Deployment"] != 1 {
		t.Errorf("kinds %v", kinds)
	}
}

// TestSmall: the two agents are as short as they claim to be.
func TestSmall(t *testing.T) {
	for file, most := range map[string]int{"shell-agent/agent.sh": 15, "line-tools/tools.py": 20} {
		if n := strings.Count(golden.Read(t, file), "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d", file, n, most)
		}
	}
}
