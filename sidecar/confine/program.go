package confine

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// needs collects what programs need to start, in addition to what the system gives all.
type needs struct {
	dir   string
	env   []string
	roots []sandbox.Root
	seen  []string
}

// command adds what a command needs. One that is not there needs nothing.
func (n *needs) command(name string) {
	if path, err := proc.LookPath(name, n.dir, n.env); err == nil {
		n.program(path)
	}
}

// program adds a program's file, its directory, and the same of its interpreter.
func (n *needs) program(path string) {
	file, err := filepath.EvalSymlinks(path)
	if err != nil || slices.Contains(n.seen, file) {
		return
	}
	n.seen = append(n.seen, file)
	n.file(file)
	if dir := filepath.Dir(file); !n.isShared(dir) {
		n.roots = append(n.roots, sandbox.Root{Path: dir})
	}
	argv := interpreter(file)
	if len(argv) == 0 {
		return
	}
	n.command(argv[0])
	if len(argv) > 1 && filepath.Base(argv[0]) == "env" {
		n.command(strings.TrimPrefix(strings.TrimPrefix(argv[1], "-S"), " "))
	}
}

// maxPath bounds how many directories of PATH a program may use that runs any command.
const maxPath = 64

// everything adds the directories in which programs are found by their names.
func (n *needs) everything() {
	path, _ := variable(n.env, "PATH")
	for i, dir := range filepath.SplitList(path) {
		if i == maxPath {
			return
		}
		if !filepath.IsAbs(dir) || n.isShared(filepath.Clean(dir)) {
			continue
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			n.roots = append(n.roots, sandbox.Root{Path: dir})
		}
	}
}

func (n *needs) file(path string) { n.roots = append(n.roots, sandbox.Root{Path: path}) }

// isShared reports whether a directory belongs to more than a program: it is not read because a
// program happens to be in it.
func (n *needs) isShared(dir string) bool {
	home, _ := variable(n.env, "HOME")
	switch dir {
	case "/", "/etc", "/home", "/root", "/tmp", "/var", "/var/tmp", "/run", "/opt", "/srv", "/mnt", "/media", "/dev", "/proc", "/sys", filepath.Clean(home):
		return true
	}
	return filepath.Dir(dir) == "/home"
}

// interpreter returns the words of a script's first line, nil for any other program.
func interpreter(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 256)
	k, _ := io.ReadFull(f, head) // a short file is read as far as it goes
	line, ok := bytes.CutPrefix(head[:k], []byte("#!"))
	if !ok {
		return nil
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	return strings.Fields(string(line))
}
