package opencode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// opencode reads its configuration twice. What works by the first reading follows OPENCODE_PURE and
// OPENCODE_DISABLE_PROJECT_CONFIG. The second one, of the parts that are to replace those, follows
// no variable: it reads the project's folders and the user's, and loads the plugins that it finds
// into the process. So a recipe can only refuse a start that would load some. It looks before each
// start, since a program that a call has started may have written them since the last.
// Seen with 1.18.33.

// maxPlanted is how many of what is in the way an error names.
const maxPlanted = 5

// codeDirs lists the folders of plugins, below a folder of configuration.
func codeDirs() []string { return []string{"plugin", "plugins"} }

// toolDirs lists those of tools. Only the user's are loaded.
func toolDirs() []string { return []string{"tool", "tools"} }

// bothRead lists the names of files of configuration that the second reading knows, too.
func bothRead() []string { return []string{"opencode.json", "opencode.jsonc"} }

// withoutPlugins fails if opencode would load code of the project or of the user.
func withoutPlugins(l *spec.Launch) error {
	var planted []string
	for _, dir := range projectDirs(l) {
		inner := filepath.Join(dir, ".opencode")
		planted = slices.Concat(planted, configured(dir), configured(inner), code(inner, codeDirs()))
	}
	for _, dir := range userDirs(l) {
		planted = slices.Concat(planted, configured(dir), code(dir, append(codeDirs(), toolDirs()...)))
	}
	slices.Sort(planted)
	planted = slices.Compact(planted)
	if len(planted) == 0 {
		return nil
	}
	more := ""
	if n := len(planted) - maxPlanted; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("opencode would load code at its start, which no switch of it prevents: %s%s; move that away, or start it elsewhere",
		strings.Join(planted[:min(len(planted), maxPlanted)], ", "), more)
}

// projectDirs lists the working directory and those above it, of which opencode reads as many as
// belong to the project.
func projectDirs(l *spec.Launch) (dirs []string) {
	dir, err := filepath.Abs(l.Resolve("."))
	if err != nil {
		return nil // without a working directory nothing starts
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for ; ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == filepath.Dir(dir) {
			return dirs
		}
	}
}

// code lists the scripts in folders of a folder.
func code(dir string, folders []string) (found []string) {
	for _, name := range folders {
		folder := filepath.Join(dir, name)
		entries, err := os.ReadDir(folder)
		if err != nil && !absent(err) {
			found = append(found, unread(folder))
		}
		for _, e := range entries {
			if ext := filepath.Ext(e.Name()); ext == ".js" || ext == ".ts" {
				found = append(found, shown(filepath.Join(folder, e.Name())))
			}
		}
	}
	return found
}

// configured lists the files of configuration in a folder that name plugins. One that cannot be read may name some.
func configured(dir string) (found []string) {
	for _, name := range bothRead() {
		path := filepath.Join(dir, name)
		data, err := spec.ReadUserFile(path)
		switch {
		case err != nil && absent(err):
			continue
		case err != nil:
			found = append(found, unread(path))
			continue
		}
		var config map[string]json.RawMessage
		if json.Unmarshal(spec.PlainJSON(data), &config) != nil {
			found = append(found, unread(path))
			continue
		}
		for _, key := range codeDirs() {
			var all []json.RawMessage
			if value := bytes.TrimSpace(config[key]); value != nil && (json.Unmarshal(value, &all) != nil || len(all) > 0) {
				found = append(found, fmt.Sprintf("%s (its %q)", shown(path), key))
			}
		}
	}
	return found
}

// absent reports whether an error means that there is no such file or folder.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

func unread(path string) string { return shown(path) + " (which cannot be read)" }

func shown(path string) string { return text.Line(path, maxReason) }
