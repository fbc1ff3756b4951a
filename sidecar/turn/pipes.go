package turn

import (
	"cmp"
	"os"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/lines"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/mcp"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/stream"
)

// pipes is the body of an agent that lives on pipes. The mode chooses its driver.
type pipes struct {
	s      *session
	speak  func(s *session, plan spec.Plan) driver.Live // makes the driver for the process that was started
	driver driver.Live
	stderr job.Stderr // belongs to run until the process has ended
}

var _ body = (*pipes)(nil)

// newLines returns the body of a program that reads and writes lines.
func newLines(s *session) body {
	return &pipes{s: s, speak: func(s *session, _ spec.Plan) driver.Live {
		return lines.New(lines.Options{
			Input: s.child.Stdin(), Closed: s.child.Silent(), Signal: func() error { return s.child.SignalGroup(os.Interrupt) },
			Quiet: s.r.o.Quiet, Settle: min(s.r.o.StartQuiet, cmp.Or(s.r.o.CancelGrace, leastInterrupt)/2), ToolPrompt: s.r.o.ToolPrompt,
		})
	}}
}

// newMCP returns the body of a program that is an MCP server.
func newMCP(s *session) body {
	return &pipes{s: s, speak: func(s *session, _ spec.Plan) driver.Live {
		return s.r.o.MCP.Attach(mcp.Process{Input: s.child.Stdin(), Stop: func() { s.child.Stop() }})
	}}
}

// newTalker returns the body of an agent that is spoken to in messages of a protocol.
func newTalker(s *session) body {
	return &pipes{s: s, speak: func(s *session, plan spec.Plan) driver.Live {
		r := s.r
		return stream.New(stream.Options{
			Peer: r.speech.peer(peer.Process{
				Input: s.child.Stdin(), Argv: plan.Argv, Dir: r.directory(), Env: plan.Env, Options: r.o.AgentOptions, Version: r.o.Version, Log: s.log,
			}),
			Used: s.used, Conversations: r.memory, Tools: s.tools, Closed: s.child.Silent(), ToolPrompt: r.o.ToolPrompt, Log: s.log,
		})
	}}
}

func (p *pipes) start(c proc.Command) (*proc.Child, error) { return p.s.r.o.Host.Start(c) }

func (p *pipes) open(plan spec.Plan, _ bool) error {
	p.driver = p.speak(p.s, plan)
	return nil
}

func (p *pipes) agent() driver.Live { return p.driver }

func (p *pipes) run() proc.Exit { return p.s.child.Output(p.driver.Output, p.stderr.Add) }

func (p *pipes) abandon() { p.s.child.Output(nil, nil) }

func (p *pipes) release(*proc.Exit) {}

// lastWords returns the last line on stderr.
func (p *pipes) lastWords(exit proc.Exit) string {
	if exit.Success() || exit.Signal != 0 {
		return ""
	}
	said := strings.TrimSpace(p.stderr.Text())
	return shortWords(said[strings.LastIndexByte(said, '\n')+1:])
}

func (p *pipes) attended() bool { return false }

// quit closes the agent's input. This ends most agents that read lines.
func (p *pipes) quit() {
	_ = p.s.child.Stdin().Close() // a process that has ended has no input
	limit := time.NewTimer(quitTime)
	defer limit.Stop()
	select {
	case <-p.s.child.Exited():
	case <-limit.C:
	case <-p.s.r.hard.Done():
	}
}

func (p *pipes) begins(int, string) {}

// report does nothing: the turns show whether the agent is at work.
func (p *pipes) report(channel.Report) {}

func (p *pipes) verdict() state.Verdict {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	v := state.Verdict{State: profile.Ready}
	if p.s.cur != nil || p.s.stuck != nil {
		v.State = profile.Working
	}
	return v
}
