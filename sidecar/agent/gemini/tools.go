package gemini

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// gemini puts the MCP servers of all its settings files together. Ours comes in the
// system's file that is laid over the others, because only its place can be chosen for one
// run, and because the user's own files are left alone. Like every file of the system's, it
// counts only where nobody but root can write. Seen with 0.61.

// toolsFile is our settings file.
const toolsFile = "gemini-tools.json"

// serversKey is the object of MCP servers in settings.
const serversKey = "mcpServers"

// server is our MCP server as gemini writes it: gemini does not ask before a call of a
// server that is trusted, and gives up after Timeout milliseconds.
type server struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int64    `json:"timeout"`
	Trust   bool     `json:"trust"`
}

// giveTools makes the system's settings a copy of what they are, with our server.
func giveTools(l *spec.Launch) (spec.Plan, error) {
	if err := ownServer(l); err != nil {
		return spec.Plan{}, err
	}
	if l.Protect == nil {
		return spec.Plan{}, errUnsafeFolder
	}
	files := system()
	settings := []byte("{}")
	if path := files.Settings(l); !spec.Absent(path) {
		if !rootsOwn(path) {
			return spec.Plan{}, fmt.Errorf("gemini does not read %s, which others than root can change, and is not to read it in a copy", path)
		}
		own, err := spec.ReadUserFile(path)
		if err != nil {
			return spec.Plan{}, fmt.Errorf("the system's settings cannot be copied: %w", err)
		}
		settings = own
	}
	command, err := l.Server("$")
	if err != nil {
		return spec.Plan{}, err
	}
	settings, err = spec.AddServer(settings, serversKey, server{command[0], command[1:], l.Waits().Milliseconds(), true})
	if err != nil {
		return spec.Plan{}, fmt.Errorf("the system's settings (%s): %w", files.Settings(l), err)
	}
	path, err := l.Protect(toolsFile, settings, safe)
	if err != nil {
		return spec.Plan{}, errors.Join(errUnsafeFolder, err)
	}
	return spec.Plan{Env: slices.Concat(l.Env, files.Replace(l, path))}, nil
}

// safe says why gemini would not read a file of the system's in a directory.
func safe(dir string) error {
	if !rootsOwn(dir) {
		return fmt.Errorf("others than root can change %s, or a directory above it", dir)
	}
	return nil
}

// ownServer fails if the user has an MCP server of our name: ours would take its place.
func ownServer(l *spec.Launch) error {
	home := l.Getenv("GEMINI_CLI_HOME")
	if home == "" {
		home = l.Getenv("HOME")
	}
	for _, dir := range []string{home, l.Resolve(".")} {
		file := filepath.Join(dir, ".gemini", "settings.json")
		if data, err := spec.ReadUserFile(file); err == nil && spec.HasServer(data, serversKey) {
			return fmt.Errorf("%s: %w", file, spec.ErrOwnServer)
		}
	}
	return nil
}
