package turn

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// The values of Options.Govern.
const (
	GovernOff    = config.GovernOff    // the agent has its own tools
	GovernOn     = config.GovernOn     // it has none but ours; what is not closed is told
	GovernStrict = config.GovernStrict // and what is not closed refuses the start, or ends the run
)

// Governed says how the agent is governed, at one moment.
type Governed struct {
	Strict bool
	// Version is the agent's, "" before it was asked or if it did not tell; Known says that the
	// recipe was measured for it. Recipe names the recipe.
	Version string
	Known   bool
	Recipe  string
	// Left are tools that the model has in addition to ours, and Holes what is not closed, in words.
	Left, Holes []string
	// Sandbox says what each process of the agent is held by, "" if it runs in none.
	Sandbox string
	// Watched says what shows that a tool of the agent's own is used, "" for nothing.
	Watched string
	// Native is how many uses of such tools were seen; Last is the name of the last one, which is
	// the agent's word.
	Native int64
	Last   string
}

// ErrNative says that an agent under --govern=strict has used a tool of its own.
var ErrNative = errors.New("the agent used a tool of its own")

// governing holds the agent to a recipe.
type governing struct {
	recipe *spec.Governing
	agent  spec.Agent
	strict bool
	mode   string

	asking chan struct{} // has a place for who asks for the version: others wait for it, or for the end of their context

	mu     sync.Mutex
	told   *told // the newest; nil: the agent was not asked yet
	native int64
	last   string

	broken   chan struct{} // closed when ErrNative has ended the run
	breaking sync.Once
	why      atomic.Pointer[error]
}

// findGoverning returns what governs the agent, nil if nothing is to. The error says why it cannot be governed.
func (r *Runner) findGoverning() (*governing, error) {
	o := &r.o
	if o.Govern == GovernOff || o.Govern == "" {
		return nil, nil
	}
	known := r.taker()
	err := known.Governable(o.Mode, spec.Launch{Argv: o.Command, Env: r.env, WorkDir: o.Dir}, profile.Arguments(o.Command))
	if errors.Is(err, spec.ErrCannotGovern) {
		err = fmt.Errorf("it is not known how %s is governed; it is known of %s", filepath.Base(o.Command[0]), strings.Join(agent.WithGoverning(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("--govern: %w", err)
	}
	g := &governing{
		recipe: known.Govern, agent: known, strict: o.Govern == GovernStrict, mode: o.Mode,
		asking: make(chan struct{}, 1), broken: make(chan struct{}),
	}
	switch {
	case g.strict && g.recipe.Watched[o.Mode] == "":
		return nil, fmt.Errorf("--govern=strict: nothing shows in --mode %s that %s uses a tool of its own; use --govern, or another mode", o.Mode, known.Name)
	case o.Channel == nil:
		return nil, fmt.Errorf("--govern: %w", spec.ErrNoChannel)
	}
	if g.strict {
		return g, r.checkCells(g)
	}
	return g, nil
}

// govern says how to start a process of the agent so that it is governed.
func (r *Runner) govern(l spec.Launch) (spec.Plan, error) {
	g := r.governing
	if g == nil {
		return spec.Plan{Argv: l.Argv, Env: l.Env}, nil
	}
	if err := r.BrokenBy(); err != nil {
		return spec.Plan{}, err
	}
	said, err := r.identify(r.drain, l.Env)
	if err != nil {
		return spec.Plan{}, err
	}
	l.Printed = said.printed
	plan, err := g.agent.Governed(l)
	if err != nil {
		return spec.Plan{}, fmt.Errorf("--govern: %s cannot be governed: %w", g.agent.Name, err)
	}
	return plan, nil
}

// strict reports whether what cannot be held ends the run.
func (r *Runner) strict() bool { return r.governing != nil && r.governing.strict }

// Governed returns how the agent is governed; nil means that it is not.
func (r *Runner) Governed() *Governed {
	g := r.governing
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	holes := g.recipe.Open(g.mode, !g.strict)
	if r.o.AllowAgentCommands {
		holes = append(holes, "messages may be commands of the agent's own (--allow-agent-commands)")
	}
	said := told{}
	if g.told != nil {
		said = *g.told
	}
	var held string
	if g.strict {
		held = r.o.Sandbox.AgentLine()
	}
	return &Governed{
		Sandbox: held,
		Strict:  g.strict, Version: said.version, Known: said.known, Recipe: g.recipe.Recipe, Left: g.recipe.Left, Holes: holes,
		Watched: g.recipe.Watched[g.mode], Native: g.native, Last: g.last,
	}
}

// Broken returns a channel that is closed when an agent under GovernStrict has used a tool of its own:
// nothing goes on then, and BrokenBy says why. nil means that this cannot be.
func (r *Runner) Broken() <-chan struct{} {
	if r.governing == nil {
		return nil
	}
	return r.governing.broken
}

// BrokenBy returns why Broken was closed, nil if it was not. The error is an ErrNative.
func (r *Runner) BrokenBy() error {
	if r.governing == nil {
		return nil
	}
	if err := r.governing.why.Load(); err != nil {
		return *err
	}
	return nil
}

// watch looks at what an agent reports for a tool of its own. stop ends the process that has used it.
func (r *Runner) watch(report channel.Report, stop func()) {
	if report.Tool != "" {
		r.used(report.Tool, stop)
	}
}

// used tells that the agent uses a tool, which may be ours.
func (r *Runner) used(tool string, stop func()) {
	g := r.governing
	if g == nil || !g.recipe.Native(tool) {
		return
	}
	tool = text.Line(tool, maxNative)
	g.mu.Lock()
	g.native++
	g.last = tool
	g.mu.Unlock()
	r.o.Observer.NativeUsed()
	if !g.strict {
		r.o.Log.Warn("the agent used a tool of its own, which no rule has judged", "tool", tool)
		return
	}
	g.breaking.Do(func() {
		err := fmt.Errorf("--govern=strict: %w (%s), which no rule has judged: the run is over", ErrNative, tool)
		g.why.Store(&err)
		r.o.Log.Error("the agent used a tool of its own: the run is over", "tool", tool)
		close(g.broken)
	})
	stop()
}

// judge returns what decides what the agent may do by its own tools: nothing, if it is governed.
func (r *Runner) judge(j driver.Judge) driver.Judge {
	if r.governing == nil {
		return j
	}
	return onlyOurs{j}
}

// onlyOurs refuses what a governed agent wants to do by a tool of its own.
type onlyOurs struct{ driver.Judge }

// Permit implements driver.Judge.
func (j onlyOurs) Permit(ctx context.Context, a peer.Action) (peer.Answer, error) {
	if a.Ours {
		return j.Judge.Permit(ctx, a)
	}
	return peer.Answer{Reason: "tools of the agent's own are off (--govern): use those of the MCP server " + spec.ServerName}, nil
}

// maxNative is how much of the name of an agent's own tool is kept, in bytes.
const maxNative = 100

// message makes text of what the agent would take in a message for its own work.
func (r *Runner) message(body string) string {
	if g := r.governing; g != nil && g.recipe.Escape != nil && !r.o.AllowAgentCommands {
		return g.recipe.Escape(g.mode, body)
	}
	return body
}
