package codex

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	commands "github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// appServer is the subcommand that is spoken to.
const appServer = "app-server"

// toolsGrace makes the first turn wait for MCP servers that are still starting, in milliseconds: after the
// second that codex waits by itself, it would go on without their tools. Each server has a limit of its own below this.
const toolsGrace = "mcp_optional_startup_grace_ms=60000"

// planAppServer starts `codex app-server` with the user's settings. app-server takes -c, --enable and
// --disable, and ignores the other flags of the interactive codex without a word: -s read-only would
// leave a wider sandbox. These are given as settings, or refused. Seen with 0.169.
func planAppServer(l *spec.Launch) (spec.Plan, error) {
	program, args := split(l.Argv)
	f := flags{program: filepath.Base(program[len(program)-1])}
	if err := f.read(args); err != nil {
		return spec.Plan{}, err
	}
	if f.roots != nil {
		f.set("sandbox_workspace_write.writable_roots", tomlArray(f.roots))
	}
	if name, _, _ := strings.Cut(toolsGrace, "="); !sets(l, name) {
		f.kept = append(f.kept, "-c", toolsGrace)
	}
	return spec.Plan{Argv: slices.Concat(program, f.kept, f.settings, []string{appServer})}, nil
}

// split returns the program, with the interpreter that runs it, and its arguments.
func split(argv []string) (program, args []string) {
	if name, _ := commands.Program(argv[:1]); name == "codex" {
		return argv[:1], argv[1:]
	}
	for i := range argv {
		if name, _ := commands.Program(argv[i : i+1]); i > 0 && name == "codex" {
			return argv[:i+1], argv[i+1:]
		}
	}
	return argv[:1], argv[1:]
}

// flags reads the arguments of the interactive codex.
type flags struct {
	program  string
	kept     []string // as they were
	settings []string // "-c", setting: they go after the kept ones, which they overrule
	roots    []string // of --add-dir
}

// set adds a setting. The value is TOML.
func (f *flags) set(name, value string) { f.settings = append(f.settings, "-c", name+"="+value) }

func (f *flags) read(args []string) error {
	for len(args) > 0 {
		arg := args[0]
		if !strings.HasPrefix(arg, "-") || arg == "-" || arg == "--" {
			return fmt.Errorf("%s: --mode stream starts %s %s by itself: leave the subcommand or the prompt out, and everything after it", text.Quote(arg, maxShown), f.program, appServer)
		}
		name, value, joined := strings.Cut(arg, "=")
		if !strings.HasPrefix(arg, "--") && len(arg) > 2 { // -mVALUE, -m=VALUE
			name, value, joined = arg[:2], strings.TrimPrefix(arg[2:], "="), true
		}
		n, bare := 1, isBare(name)
		if !joined && !bare {
			if len(args) < 2 {
				return fmt.Errorf("%s has no value", text.Quote(arg, maxShown))
			}
			n, value = 2, args[1]
		}
		if err := f.flag(name, value, args[:n]); err != nil {
			return err
		}
		args = args[n:]
	}
	return nil
}

// isBare reports whether a flag has no value.
func isBare(name string) bool {
	switch name {
	case "--strict-config", "--no-alt-screen", "--no-daemon", "--search", "--approve-for-me", "--dangerously-bypass-approvals-and-sandbox", "--yolo",
		"--oss", "--worktree", "--dangerously-bypass-hook-trust", "-h", "--help", "-V", "--version":
		return true
	}
	return false
}

var errNotServed = errors.New("codex app-server does not take it")

// flag reads one flag; words is how it was written.
func (f *flags) flag(name, value string, words []string) error {
	switch name {
	case "-c", "--config", "--enable", "--disable", "--strict-config", "--approve-for-me":
		f.kept = append(f.kept, words...)
	case "--no-alt-screen", "--no-daemon": // there is no screen, and no daemon
	case "-m", "--model":
		f.set("model", tomlString(value))
	case "-s", "--sandbox":
		f.set("sandbox_mode", tomlString(value))
	case "-a", "--ask-for-approval":
		f.set("approval_policy", tomlString(value))
	case "--search":
		f.set("web_search", `"live"`)
	case "--add-dir":
		f.roots = append(f.roots, value)
	case "--dangerously-bypass-approvals-and-sandbox", "--yolo":
		f.set("approval_policy", `"never"`)
		f.set("sandbox_mode", `"danger-full-access"`)
	case "-C", "--cd":
		return fmt.Errorf("%s: %w: give the directory to the sidecar, by --workspace", name, errNotServed)
	case "-p", "--profile", "--oss", "--local-provider":
		return fmt.Errorf("%s: %w: give its settings by -c KEY=VALUE", name, errNotServed)
	default:
		return fmt.Errorf("%s: %w; what it takes is -c, --enable and --disable, and -m, -s, -a, --search and --add-dir are given to it as settings", text.Quote(name, maxShown), errNotServed)
	}
	return nil
}

// maxShown is how much of a text from outside a message shows, in bytes.
const maxShown = 80
