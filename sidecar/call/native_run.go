package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// maxPrograms is how many programs of the agent's a turn has at once that were not released: what each
// wrote is kept.
const maxPrograms = 32

var (
	errTurnOver = errors.New("the turn is over: no program is started any more")
	errPrograms = fmt.Errorf("%d programs of this turn were not released, which is the most", maxPrograms)
	errNoHost   = errors.New("no program can be started here")
)

// Run implements peer.Host. The program has the rights of the agent, and its environment without what
// is the agent's alone, such as the token of its channel: whatever it does, the agent could do
// itself. The sandbox of tools is not around it. What it writes on two streams is kept in the order in which
// it was read, which may be another one if both were written at once.
func (n *native) Run(ctx context.Context, p peer.Program) (peer.Terminal, error) {
	a, err := runAction(&p)
	if err != nil {
		return nil, err
	}
	inv, err := n.host(ctx, a, func(dir string, _ []policy.Use) bool {
		return len(judgedEnv(p.Env)) == 0 && n.grantedCommand(p.Argv, dir)
	})
	if err != nil {
		return nil, err
	}
	run, err := n.start(inv, &p)
	if err != nil {
		n.ended(inv, failed(err.Error()))
		return nil, fmt.Errorf("%s cannot be started: %w", text.Quote(p.Argv[0], shownTitle), err)
	}
	return run, nil
}

// runAction returns a program as what the agent wants. Variables are judged as env would set them.
func runAction(p *peer.Program) (peer.Action, error) {
	if len(p.Argv) == 0 || p.Argv[0] == "" {
		return peer.Action{}, errors.New("no program is named")
	}
	argv := p.Argv
	if env := judgedEnv(p.Env); len(env) > 0 {
		argv = append(append([]string{"env"}, env...), p.Argv...)
	}
	for _, v := range p.Env {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" || strings.HasPrefix(name, "-") {
			return peer.Action{}, fmt.Errorf("the variable %s is not NAME=value", text.Quote(v, shownName))
		}
	}
	for _, word := range argv {
		if strings.ContainsRune(word, 0) {
			return peer.Action{}, errors.New("the command has a NUL character in it")
		}
	}
	line := capability.CommandLine(argv)
	input, err := json.Marshal(struct {
		Argv []string `json:"argv"`
		Env  []string `json:"env,omitempty"`
		Dir  string   `json:"dir,omitempty"`
	}{p.Argv, p.Env, p.Dir})
	return peer.Action{Kind: peer.Execute, Title: "run " + line, Input: input, Argv: argv, Dir: p.Dir}, err
}

// judgedEnv returns the variables that may change what a program does, and not only how it looks.
func judgedEnv(env []string) (judged []string) {
	for _, v := range env {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLUMNS", "LINES", "LANG", "TZ":
		default:
			judged = append(judged, v)
		}
	}
	return judged
}

// start starts a program that was judged.
func (n *native) start(inv *Invocation, p *peer.Program) (*program, error) {
	dir := inv.own.dir
	if n.p.opts.Host == nil {
		return nil, errNoHost
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("its directory %s: %w", text.Quote(p.Dir, shownTitle), fs.ErrNotExist)
	}
	run := newProgram(n, inv, p.MaxOutput)
	if err := n.keep(run); err != nil {
		return nil, err
	}
	if err := run.start(p.Argv, p.Env, dir); err != nil {
		n.forget(run)
		return nil, err
	}
	return run, nil
}

// keep gives a program its place in the turn, which Close empties.
func (n *native) keep(p *program) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.closed:
		return errTurnOver
	case len(n.programs) >= maxPrograms:
		return errPrograms
	}
	n.programs[p] = struct{}{}
	return nil
}

func (n *native) forget(p *program) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.programs, p)
}
