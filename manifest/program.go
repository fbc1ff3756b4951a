package manifest

import (
	"sync"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// programs remembers what Options.Program said while one file is read: thousands of
// tools may share a program.
type programs struct {
	ask func(program, cwd string) (reason, hint string)

	mu   sync.Mutex
	said map[[2]string][2]string
}

// look says why a program cannot be started, "" if it can. A nil programs does not
// look.
func (p *programs) look(program, cwd string) (reason, hint string) {
	if p == nil || p.ask == nil {
		return "", ""
	}
	p.mu.Lock()
	said, known := p.said[[2]string{program, cwd}]
	p.mu.Unlock()
	if known {
		return said[0], said[1]
	}
	reason, hint = p.ask(program, cwd) // twice, if two goroutines ask at once: it only looks
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.said == nil {
		p.said = map[[2]string][2]string{}
	}
	p.said[[2]string{program, cwd}] = [2]string{reason, hint}
	return reason, hint
}

// startable warns of a program that is not there: the tool is valid, but would fail at
// its first call.
func (c *check) startable(e *Exec, n *jsontree.Node, pointer string) {
	command := n.Get("command")
	if command == nil || command.Kind != jsontree.Array || len(e.elements) == 0 || e.Command[0] == "" || len(e.elements[0].arguments()) > 0 {
		return
	}
	if reason, hint := c.programs.look(e.Command[0], e.Cwd); reason != "" {
		c.Warn(command.Children[0].Offset, jsontree.Item(jsontree.Child(pointer, "command"), 0), text.Show(reason), text.Show(hint))
	}
}
