package cli_test

import (
	"bufio"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

const (
	// maxInit is what one package may cost before main begins.
	maxInit = 0.3 // ms
	// maxBinary is the budget for the static, stripped binary; the MCP SDK takes 2 MB of it, the tools of our own about as much.
	maxBinary = 24 << 20
	// schemaLibrary compiles its meta-schemas in init: it is a given.
	schemaLibrary = "github.com/santhosh-tekuri/jsonschema/v6"
)

// build makes a binary by a command of the repository's root, to which the file's
// name is given last.
func build(t *testing.T, command ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sidecar")
	cmd := exec.Command(command[0], append(command[1:], path)...)
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func TestBinary(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary twice")
	}
	shipped, withSymbols := build(t, ".ci/binary"), build(t, "go", "build", "-buildvcs=false", "-o")
	t.Run("init", func(t *testing.T) { nothingIsSlowBeforeMain(t, withSymbols) })
	t.Run("start", func(t *testing.T) { startNeedsNoCollection(t, shipped) })
	t.Run("templates", func(t *testing.T) { templatesAreDeadCode(t, withSymbols) })
	t.Run("size", func(t *testing.T) { isWithinItsBudget(t, shipped) })
	t.Run("install", func(t *testing.T) { isWhatInstallGives(t, shipped, withSymbols) })
}

// Every start pays for every init, emit's in a
// loop of a shell script as well. The best of several runs counts, because a
// busy machine makes any of them slow.
func nothingIsSlowBeforeMain(t *testing.T, binary string) {
	best := map[string]float64{}
	for range 9 {
		cmd := exec.Command(binary, "version")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for name, ms := range initTimes(t, string(out)) {
			if old, seen := best[name]; !seen || ms < old {
				best[name] = ms
			}
		}
	}
	if best[schemaLibrary] == 0 {
		t.Error("the trace does not have the one package that is known to be slow")
	}
	for name, ms := range best {
		if ms > maxInit && name != schemaLibrary {
			t.Errorf("init of %s takes %.2f ms, more than %.1f", name, ms, maxInit)
		}
	}
}

// A start that stays below the first collection's threshold (4 MiB) is 1.5 ms
// faster and leaves 2.5 MiB less resident.
func startNeedsNoCollection(t *testing.T, binary string) {
	ctx := await.Context(t)
	cmd := exec.CommandContext(ctx, binary, "run", "--host", "127.0.0.1", "--port", "0", "--mode", "oneshot", "--", "cat")
	cmd.Env = append(os.Environ(), "GODEBUG=gctrace=1")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	served := false
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "gc "):
			t.Errorf("a collection before it serves: %s", line)
		case strings.Contains(line, "msg=serving"), strings.Contains(line, `"msg":"serving"`):
			served = true
		}
		if served {
			break
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	if !served {
		t.Error("it never served")
	}
}

func initTimes(t *testing.T, trace string) map[string]float64 {
	times := map[string]float64{}
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) @.* ms, (\S+) ms clock`).FindAllStringSubmatch(trace, -1) {
		ms, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		times[m[1]] = ms
	}
	return times
}

func isWithinItsBudget(t *testing.T, shipped string) {
	info, err := os.Stat(shipped)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f MB", float64(info.Size())/1e6)
	if info.Size() > maxBinary {
		t.Errorf("the binary has %.1f MB, more than %.0f", float64(info.Size())/1e6, maxBinary/1e6)
	}
}

// isWhatInstallGives: go install makes the program that is shipped, of the same
// code, and so do all who build it here.
func isWhatInstallGives(t *testing.T, shipped, installed string) {
	ours, err := buildinfo.ReadFile(shipped)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := buildinfo.ReadFile(installed)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := codeSettings(ours), codeSettings(theirs); a != b {
		t.Errorf("shipped is built with%s, installed with%s", a, b)
	}
	for _, file := range []string{"Makefile", "Dockerfile", ".ci/build", ".ci/agents", ".ci/interop", ".ci/image"} {
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "go build") {
			t.Errorf("%s builds by itself, and not by .ci/binary", file)
		}
	}
}

// codeSettings are the settings of a build that can change its code: no paths, no
// symbols, no repository's state, no C.
func codeSettings(info *buildinfo.BuildInfo) (all string) {
	for _, s := range info.Settings {
		switch {
		case s.Key == "-trimpath", s.Key == "-ldflags", s.Key == "CGO_ENABLED", strings.HasPrefix(s.Key, "CGO_"), strings.HasPrefix(s.Key, "vcs"):
		default:
			all += " " + s.Key + "=" + s.Value
		}
	}
	return all
}

// cobra imports text/template. Its interpreter must not be reachable, or the
// linker keeps every exported method there is.
func templatesAreDeadCode(t *testing.T, path string) {
	symbols, err := exec.Command("go", "tool", "nm", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, banned := range []string{"text/template.(*Template).Execute", "text/template.(*state).walk", "reflect.Value.MethodByName"} {
		if strings.Contains(string(symbols), " "+banned+"\n") {
			t.Errorf("%s is linked", banned)
		}
	}
}
