package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// The limits of terminals: how many of a turn are not released, and how many words and variables each may be started
// with.
const (
	maxTerminals = 32
	maxWords     = 4096
	maxVariables = 256
)

// programs are the terminals of a turn. t.mu guards them.
type programs struct {
	last    int
	open    map[string]peer.Terminal
	pending int // are being started
}

func (t *turn) createTerminal(ctx context.Context, in fields) (any, error) {
	p, err := program(in)
	if err != nil {
		return nil, err
	}
	if !t.reserve() {
		return nil, rpc.Errorf(rpc.Busy, "%d terminals of this turn are open, which is the limit: release one", maxTerminals)
	}
	terminal, err := t.on.Host().Run(ctx, p)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.programs.pending--
	if err != nil {
		return nil, fault(err)
	}
	if t.programs.open == nil {
		t.programs.open = map[string]peer.Terminal{}
	}
	t.programs.last++
	id := fmt.Sprintf("terminal-%d-%d", t.number, t.programs.last)
	t.programs.open[id] = terminal
	return sdk.CreateTerminalResponse{TerminalId: id}, nil
}

// reserve takes the place of one more terminal.
func (t *turn) reserve() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.programs.open)+t.programs.pending >= maxTerminals {
		return false
	}
	t.programs.pending++
	return true
}

// program reads what is to be run. A command without arguments that holds more than a program's name is one for
// the shell.
func program(in fields) (p peer.Program, err error) {
	command := in.text("command")
	if command == "" {
		return p, rpc.Errorf(rpc.InvalidParams, "command is missing")
	}
	args, whole := in.texts("args", maxWords)
	if !whole {
		return p, rpc.Errorf(rpc.InvalidParams, "args is no list of at most %d texts", maxWords)
	}
	p.Argv = append([]string{command}, args...)
	if len(args) == 0 && isLine(command) {
		p.Argv = []string{"/bin/sh", "-c", command}
	}
	if p.Dir = in.text("cwd"); p.Dir != "" && !filepath.IsAbs(p.Dir) {
		return p, rpc.Errorf(rpc.InvalidParams, "cwd must be absolute, and is %s", text.Quote(p.Dir, maxName))
	}
	limit, _ := in.count("outputByteLimit")
	p.MaxOutput = int(limit)
	p.Env, err = variables(in.list("env"))
	return p, err
}

// isLine reports whether a command is more than a program's name: a line for a shell.
func isLine(command string) bool {
	return strings.ContainsAny(command, " \t\n;&|<>()$`\\\"'*?[]{}~#!")
}

func variables(list []json.RawMessage) (env []string, err error) {
	if len(list) > maxVariables {
		return nil, rpc.Errorf(rpc.InvalidParams, "env has %d variables; at most %d are possible", len(list), maxVariables)
	}
	for _, v := range list {
		f := object(v)
		name := f.text("name")
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return nil, rpc.Errorf(rpc.InvalidParams, "env has a variable of the name %s", text.Quote(name, maxName))
		}
		env = append(env, name+"="+f.text("value"))
	}
	return env, nil
}

// terminal returns one that is open.
func (t *turn) terminal(in fields) (peer.Terminal, error) {
	id := in.text("terminalId")
	t.mu.Lock()
	defer t.mu.Unlock()
	if terminal := t.programs.open[id]; terminal != nil {
		return terminal, nil
	}
	return nil, rpc.Errorf(rpc.InvalidParams, "there is no open terminal %s in this turn", text.Quote(id, maxName))
}

func (t *turn) terminalOutput(_ context.Context, in fields) (any, error) {
	terminal, err := t.terminal(in)
	if err != nil {
		return nil, err
	}
	answer := sdk.TerminalOutputResponse{}
	select {
	case <-terminal.Exited():
		code, signal := exit(terminal)
		answer.ExitStatus = &sdk.TerminalExitStatus{ExitCode: code, Signal: signal}
	default:
	}
	answer.Output, answer.Truncated = terminal.Output()
	return answer, nil
}

// exit says how a terminal's program ended, as ACP has it: by one of the two.
func exit(terminal peer.Terminal) (code *int, signal *string) {
	c, s := terminal.Exit()
	if s != "" {
		return nil, &s
	}
	return &c, nil
}

func (t *turn) waitForExit(ctx context.Context, in fields) (any, error) {
	terminal, err := t.terminal(in)
	if err != nil {
		return nil, err
	}
	select {
	case <-terminal.Exited():
		code, signal := exit(terminal)
		return sdk.WaitForTerminalExitResponse{ExitCode: code, Signal: signal}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (t *turn) killTerminal(_ context.Context, in fields) (any, error) {
	terminal, err := t.terminal(in)
	if err != nil {
		return nil, err
	}
	terminal.Kill()
	return sdk.KillTerminalResponse{}, nil
}

func (t *turn) releaseTerminal(_ context.Context, in fields) (any, error) {
	terminal, err := t.terminal(in)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	delete(t.programs.open, in.text("terminalId"))
	t.mu.Unlock()
	terminal.Release()
	return sdk.ReleaseTerminalResponse{}, nil
}
