package sidecar

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/acp"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// checkCard finds a bad card file before anything else is opened.
func (s *sidecar) checkCard(context.Context) error {
	_, err := readCardFile(&s.Config, cardTemplate(&s.Config, s.Version))
	return err
}

func (s *sidecar) openHost(context.Context) error {
	if err := proc.Undumpable(); err != nil {
		s.Log.Warn("the agent may read the sidecar's memory", "error", err)
	}
	s.host = proc.NewHost(proc.HostOptions{Log: s.Log})
	return nil
}

func (s *sidecar) closeHost(context.Context) error {
	s.host.Close()
	return nil
}

// watch is the goroutine that follows the manifest file.
type watch struct {
	stop context.CancelFunc
	done chan error
}

func (s *sidecar) openManifest(ctx context.Context) error {
	c := &s.Config
	source, err := manifest.Open(c.Manifest, manifest.Options{
		Reserved: c.ReservedNamespace, Connectors: s.reserved, Registry: s.Registry, Lenient: c.ManifestLenient, Log: s.Log, Judged: s.metrics.ManifestJudged, Trust: s.believe,
		Card: checkCardPart(c, s.Version), Program: config.ProgramFinder(c.Workspace, s.Environ),
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.source, s.watch = source, &watch{stop: stop, done: make(chan error, 1)}
	go func() { s.watch.done <- source.Run(ctx) }()
	return nil
}

func (s *sidecar) closeManifest(context.Context) error {
	s.watch.stop()
	return <-s.watch.done
}

func (s *sidecar) openTasks(ctx context.Context) (err error) {
	c := &s.Config
	o := task.Options{
		KeepTasks: c.KeepTasks(), KeepBytes: c.KeepBytes, TaskBytes: c.TaskBytes, Log: s.Log, Observer: taskObserver{s.metrics, s.Log},
		RetainTasks: c.RetainTasks(), RetainBytes: c.RetainBytes, RetainFor: c.RetainFor, Gone: s.forgetOutputs, ContextGone: s.contextGone,
	}
	if s.store != nil {
		o.Store = s.store
	}
	s.tasks, err = task.OpenRegistry(ctx, o)
	return err
}

func (s *sidecar) closeTasks(context.Context) error {
	s.tasks.Close()
	return nil
}

// openGate makes the gate that lets new work in. It holds all of it until everything
// is open.
func (s *sidecar) openGate(context.Context) error {
	c := &s.Config
	o := gate.Options{
		Claims: []func(caller, contextID string) error{
			s.tasks.Claim,
			func(caller, contextID string) error { return s.runner.Claim(caller, contextID) }, // there is no runner yet
		},
		Unfinished: s.tasks.Open, Tasks: c.MaxTasks(),
	}
	if c.Authenticates() {
		o.CallerTasks = c.CallerTasks()
	}
	if s.store != nil {
		o.StoreErr = s.store.Err
	}
	s.gate = gate.New(o)
	return nil
}

// openListener binds the port. Serving starts later.
func (s *sidecar) openListener(ctx context.Context) error {
	address := net.JoinHostPort(s.Config.Host, strconv.Itoa(s.Config.Port))
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return listenError(&s.Config, address, err)
	}
	s.listener = l
	return nil
}

// listenError says what is wrong with an address, and what would be right.
func listenError(c *config.Config, address string, err error) error {
	var unknown *net.DNSError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s is in use: stop what listens there, or take another port (--port 0 picks a free one)", address)
	case errors.As(err, &unknown):
		return fmt.Errorf("--host %q is no address, and no name that is known here; write one of this machine's addresses, such as 127.0.0.1, ::1 or 0.0.0.0", c.Host)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("--host %q is not an address of this machine; write one that is (ip addr lists them), or 0.0.0.0 for all", c.Host)
	case errors.Is(err, syscall.EINVAL):
		return fmt.Errorf("--host %q cannot be listened on; a link-local address needs its interface, as in fe80::1%%eth0", c.Host)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("--port %d is not for this user: ports below 1024 need root or CAP_NET_BIND_SERVICE; take a higher one", c.Port)
	case errors.Is(err, syscall.EAFNOSUPPORT):
		return fmt.Errorf("--host %q is of a family of addresses that this machine does not have; write one such as 127.0.0.1", c.Host)
	}
	return fmt.Errorf("%s cannot be listened on: %w", address, innermost(err))
}

// innermost returns the system's own error inside an error of net.
func innermost(err error) error {
	var no syscall.Errno
	if errors.As(err, &no) {
		return no
	}
	return err
}

func (s *sidecar) closeListener(context.Context) error {
	if err := s.listener.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// url returns the address at which processes on this machine reach us.
func (s *sidecar) url() string {
	addr, ok := s.listener.Addr().(*net.TCPAddr)
	if !ok {
		return ""
	}
	host := addr.IP.String()
	if addr.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http://"
	if s.Config.TLSCert != "" {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, strconv.Itoa(addr.Port))
}

// openChannel goes on without a channel if there is no place for its socket: agents
// that only read and write are served all the same. Turns and calls keep their files
// in the channel's directory.
func (s *sidecar) openChannel(context.Context) error {
	uid := -1
	if s.Config.User != nil {
		uid = int(s.Config.User.UID)
	}
	o := channel.Options{
		RuntimeDir: s.Config.RuntimeDir, UID: uid, Version: s.Version, Log: s.Log,
		Caller: channelDoor{s.handler}, Toolbox: channelDoor{s.handler}, URL: s.url, MaxFile: s.Config.MaxBody,
	}
	if s.confines() {
		areas := s.areas()
		o.Exposed = func(dir string) bool { return areaOf(areas, dir) != nil }
	}
	server, err := channel.Listen(o)
	if errors.Is(err, channel.ErrNoDir) {
		s.Log.Warn("no folder can be made, so the channel is off: agents cannot emit or ask, have no outbox, no TMPDIR of their own and no hooks, and get no files",
			"error", err)
		return nil
	}
	if err != nil {
		return err
	}
	s.channel, s.files = server, server.Dir()
	return nil
}

func (s *sidecar) closeChannel(context.Context) error {
	if s.channel == nil {
		return nil
	}
	return s.channel.Close()
}

func (s *sidecar) openRunner(context.Context) (err error) {
	c := &s.Config
	o := turn.Options{
		Mode: c.Mode, Command: c.Command, Env: s.Environ, Dir: c.Workspace, User: c.User,
		Host: s.host, Channel: s.channel, Observer: s.metrics, SessionEnded: s.sessionEnded, Log: s.Log, RuntimeDir: s.files, StateDir: c.StateDir, URL: s.url,
		Sessions: c.Sessions, SessionIdle: c.SessionIdle, MaxConcurrency: c.MaxConcurrency, Queue: c.Queue,
		TurnTimeout: c.TurnTimeout, CancelGrace: c.CancelGrace, AskTimeout: c.AskTimeout, ReadyTimeout: c.ReadyTimeout,
		Headless: c.Headless, Restart: c.Restart, Deliver: c.Deliver,
		Profile: c.Profile, NoHooks: c.NoHooks, Record: c.Record, Self: s.Self, GiveTools: c.GiveTools, ToolTime: c.ToolTime(), Govern: c.Govern,
		PromptPattern: c.PromptPattern, ToolPrompt: c.ToolPrompt, AllowAgentCommands: c.AllowAgentCommands,
		OutputFormat: c.OutputFormat, ThreadCreate: c.ThreadIDCreate, ThreadResume: c.ThreadIDResume,
		Size: c.Size, SessionContext: a2a.NewID(),
		Judges: func(t *task.Task) driver.Judge { return s.calls.Judge(t) }, // no turn begins before there are calls
	}
	o.MCP, o.ACP, o.AgentOptions, o.Version = s.agentServer, acp.New, agentOptions(c), s.Version
	if c.Talks() {
		o.StateDir = c.StoreDir // conversations are kept where tasks are: nothing is written that nobody asked for
	}
	if c.ModeWhy != "" {
		s.Log.Info("--mode auto has settled on a mode", "mode", c.Mode, "reason", c.ModeWhy)
	}
	if c.Tee && s.Stdout != nil {
		s.tee = openTee(s.Stdout)
		o.Tee = s.tee
	}
	if s.person = s.passthrough(); s.person {
		o.Person = func(t *tty.Terminal) (*tty.Passthrough, error) {
			fmt.Fprintf(s.Stderr, "sidecar: serving A2A at %s\r\n", s.url())
			if says := s.governsPerson(); says != "" {
				fmt.Fprintf(s.Stderr, "sidecar: %s\r\n", says)
			}
			return s.attachPerson(t)
		}
	}
	if err := s.confineAgent(&o); err != nil {
		return err
	}
	if s.runner, err = turn.New(o); err != nil {
		return err
	}
	s.handler.runner = s.runner
	return nil
}

// attachPerson hands the terminal over and has a process watch over it: the terminal
// must be usable even if we are killed.
func (s *sidecar) attachPerson(t *tty.Terminal) (*tty.Passthrough, error) {
	p, err := tty.Attach(t, s.Stdin, s.Stdout)
	if err != nil {
		return p, err
	}
	s.attached.Store(p)
	if s.Ending != nil && s.Config.Restart == turn.RestartNever {
		p.OnClose(s.Ending)
	}
	if s.Self == "" {
		return p, nil
	}
	if err := p.Guard(s.Self); err != nil {
		s.Log.Warn("the terminal stays as the agent left it if the sidecar is killed", "error", err)
	}
	return p, nil
}

// passthrough reports whether a person's terminal becomes the agent's. After that
// terminal has gone, nothing shows any more that it was there.
func (s *sidecar) passthrough() bool {
	if s.Stdin == nil || s.Stdout == nil || s.Stderr == nil {
		return false
	}
	return s.Config.Passthrough(tty.IsForegroundTerminal(s.Stdin, s.Stdout))
}

func (s *sidecar) closeRunner(context.Context) error {
	err := errors.Join(s.runner.Close(), closeTee(s.tee, s.Stdout))
	if s.agentServer != nil {
		s.agentServer.Close()
	}
	s.alerts.Wait() // the terminal is given back, so none of them waits for it
	return err
}

func (s *sidecar) openCalls(context.Context) (err error) {
	c := &s.Config
	o := call.Options{
		Surface: s.callable, Absent: s.absent, Tasks: s.tasks, Decider: s.rules, Agent: s.runner,
		Host: s.host, Channel: s.channel, Env: s.Environ, Workspace: c.Workspace, Scope: s.rules.scope, User: c.User,
		MaxConcurrency: c.MaxConcurrency, Queue: c.Queue, CancelGrace: c.CancelGrace, Timeout: c.CallTimeout,
		AskTimeout: c.AskTimeout, Headless: c.Headless, MaxOutput: c.MaxOutput, URL: s.url, RuntimeDir: s.files, Observer: s.metrics, Log: s.Log,
		Outputs: s.outputs.Load(), OutputPath: outputsPath, Secrets: s.redactor(s.rules.Set), ServerSecrets: s.servers.secrets,
		Approvals: s.approvals, Approvers: s.rules.approvers, Remember: s.remember,
		Tools: s.core, ToolSessions: s.toolSessions, Works: s.works, Finder: func(r *call.Request) tool.Finder { return finder{s.handler, *r} },
		Changes: s.journal, Agents: s.agents.desk, Denials: s.denials,
		UserAgent: "a2a-sidecar/" + s.Version,
		Search:    tool.Search{Providers: c.SearchProviders, Calls: c.SearchCalls, Timeout: c.SearchTimeout}, CoreSetup: s.coreSetup,
	}
	if s.skills != nil {
		o.Skills = s.skills
	}
	if s.person {
		o.Person = s.tellPerson
	}
	o.Sandbox = s.keeper
	if s.servers != nil {
		o.Servers = s.servers
	}
	s.judges(&o)
	o.Servers = s.withPlatform(s.withAgent(o.Servers))
	s.calls, err = call.New(o)
	s.ending.Store(s.calls)
	s.handler.calls, s.handler.scope, s.handler.works = s.calls, o.Scope, s.works
	s.handler.tools = toolView{of: s.viewOf, changed: s.surface.Changed, searches: s.core.Has(tool.SearchID), told: s.skills.instructions}
	return err
}

func (s *sidecar) closeCalls(context.Context) error { return s.calls.Close() }

func (s *sidecar) openServer(context.Context) error {
	c := &s.Config
	cards, err := newCards(c, s.Version, s.image, s.skills.set)
	if err != nil {
		return err
	}
	s.handler = &handler{
		cards: cards, callsOnly: c.Mode == config.ModeMCP, gate: s.gate, tasks: s.tasks, approvals: s.approvals, sender: s.sender, push: s.push, platform: s.platform, cancelGrace: c.CancelGrace,
	}
	server := server.New(s.guard(server.Options{
		Handler: s.handler,
		Headers: map[string]string{bridgeHeader: s.Version}, Health: s.healthBody,
		MaxBody: c.MaxBody, PublicURL: c.PublicURL, Loopback: s.onLoopback(), AllowedHosts: c.AllowedHosts, CORS: c.CORS,
		ReadHeaderTimeout: c.HeaderTimeout, IdleTimeout: c.IdleTimeout, StallTimeout: c.StallTimeout, Observer: s.metrics, Metrics: s.metricsText,
		Mounts: s.mounts(), Log: s.Log,
	}))
	s.server = server.HTTPServer()
	s.served = make(chan error, 1)
	go func() { s.served <- s.serve() }()
	return nil
}

// bridgeHeader and healthBody are part of the platform's contract.
const bridgeHeader = "x-spring-voyage-bridge-version"

func (s *sidecar) healthBody() []byte {
	return fmt.Appendf(nil, `{"status":"ok","bridgeVersion":%q}`, s.Version)
}

// onLoopback reports whether we listen on loopback only. The Host header is then
// checked: a browser must not be tricked into calling us under a name of an
// attacker's choice.
func (s *sidecar) onLoopback() bool {
	addr, ok := s.listener.Addr().(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}

// closeServer closes a server that drain has not closed: the agent did not start.
func (s *sidecar) closeServer(context.Context) error {
	err := s.server.Close()
	if serveErr := <-s.served; !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(err, serveErr)
	}
	return err
}

// startAgent starts the agent. One that is spoken to in messages is awaited until it can be spoken to; if Run
// is asked to end before that, the waiting ends, and early says why.
func (s *sidecar) startAgent(ctx context.Context) error {
	if !s.Config.Talks() {
		return s.runner.Start(ctx)
	}
	starting, enough := context.WithCancel(ctx)
	defer enough()
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan struct{})
	go func() { // ends with waiting, which stop ends
		defer close(done)
		if s.early = s.wait(waiting, s.signals); s.early.asked() {
			enough()
		}
	}()
	err := s.runner.Start(starting)
	stop()
	<-done
	return err
}
