package sidecar

import (
	"context"
	"net"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/dial"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/lockfile"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/serverfile"
	agentmcp "github.com/a2a-sidecar/sidecar/sidecar/turn/mcp"
)

// servers are the MCP servers of the file, with the goroutines that follow it. A nil servers has
// none.
type servers struct {
	*client.Servers
	file   *serverfile.Source
	dialer *dial.Dialer
	locks  *locks
	offers offers

	changed chan struct{} // has a value when the file or the lock has changed
	stop    context.CancelFunc
	done    sync.WaitGroup
}

// openServerFile reads the file of MCP servers: what they may write has to be known before it is
// decided where the sidecar keeps what is its own.
func (s *sidecar) openServerFile(context.Context) (err error) {
	c := &s.Config
	if c.MCPConfig == "" {
		return nil
	}
	v := &servers{
		changed: make(chan struct{}, 1),
		Servers: client.New(client.Options{Reserved: c.ReservedNamespace, Version: s.Version, Log: s.Log}),
	}
	if v.file, err = serverfile.Open(c.MCPConfig, serverfile.SourceOptions{
		Options: serverfile.Options{Lookup: lookup(s.Environ), Reserved: s.notForServers()},
		Trust:   s.believe, Taken: func([]serverfile.Server) { poke(v.changed) }, Log: s.Log,
	}); err != nil {
		return err
	}
	if v.locks, err = openLocks(c.MCPLockFile(), c.MCPUnlocked, s.believe, s.Log); err != nil {
		return err
	}
	s.servers = v
	return nil
}

// notForServers returns the namespaces that no MCP server of the file may have.
func (s *sidecar) notForServers() []string {
	all := s.Config.ReservedNamespace
	if s.agentServer != nil {
		all = append(slices.Clone(all), agentmcp.Server)
	}
	return all
}

// lookup returns how variables are looked up in an environment. Of a variable that occurs twice,
// the last one counts, as for os.Getenv.
func lookup(environ []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, v := range slices.Backward(environ) {
			if len(v) > len(name) && v[len(name)] == '=' && v[:len(name)] == name {
				return v[len(name)+1:], true
			}
		}
		return "", false
	}
}

// poke puts a value into a channel, unless there is one.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// openServers makes the servers callable, and begins to list their tools.
func (s *sidecar) openServers(ctx context.Context) error {
	v := s.servers
	if v == nil {
		return nil
	}
	c := &s.Config
	v.dialer = dial.New(dial.Options{
		Host: s.host, Env: s.Environ, Workspace: c.Workspace, Scope: s.rules.scope, Sandbox: s.keeper, User: c.User,
		RuntimeDir: s.files, Grace: c.CancelGrace, Log: s.Log,
	})
	if err := v.apply(); err != nil {
		return err
	}
	ctx, v.stop = context.WithCancel(context.WithoutCancel(ctx))
	v.done.Go(func() { v.file.Run(ctx) })
	v.done.Go(func() { v.locks.run(ctx, func() { poke(v.changed) }) })
	v.done.Go(func() { v.run(ctx) })
	return nil
}

func (s *sidecar) closeServers(context.Context) error {
	v := s.servers
	if v == nil {
		return nil
	}
	v.stop()
	v.done.Wait()
	v.Close()
	return v.dialer.Close()
}

// Reload reads the files now. It does not wait for that.
func (v *servers) Reload() {
	if v != nil {
		v.file.Reload()
		poke(v.locks.poke)
	}
}

// apply puts the file and the lock into force.
func (v *servers) apply() error {
	lock := v.locks.begin(v.file.Servers())
	var all []client.Server
	for _, one := range v.file.Servers() {
		if !one.Disabled {
			all = append(all, v.server(&one, lock))
		}
	}
	return v.Set(all)
}

// server returns a server as it is called.
func (v *servers) server(one *serverfile.Server, lock *lockfile.Lock) client.Server {
	return client.Server{
		Slug: one.Slug, Key: one.Key() + lock.Digest(one.Slug),
		Dial:    func(ctx context.Context) (mcp.Transport, error) { return v.dialer.Dial(ctx, one) },
		Surface: one.Surface, Requires: requiredBy(one), Limits: one.Limits, Timeout: one.Timeout, Idle: one.Idle,
		TrustAnnotations: one.TrustAnnotations, Verify: v.locks.verify(one.Slug, lock),
	}
}

// requiredBy returns what the tools of a server use: what it may use and, if it has an address, its
// own host.
func requiredBy(one *serverfile.Server) *manifest.Requires {
	u, err := url.Parse(one.URL)
	if one.URL == "" || err != nil {
		return one.Requires
	}
	own := *one.Requires
	host := u.Hostname()
	if u.Port() != "" {
		host = net.JoinHostPort(host, u.Port())
	}
	own.NetHosts = append([]string{host}, own.NetHosts...)
	return &own
}

// The pauses before servers that could never be listed are tried again.
const (
	relistFirst = time.Second
	relistLast  = time.Minute
)

// run applies what has changed, and has the servers list their tools.
func (v *servers) run(ctx context.Context) {
	for ctx.Err() == nil {
		listing, cancel := context.WithCancel(ctx)
		var work sync.WaitGroup
		work.Go(func() { v.list(listing) })
		select {
		case <-v.changed:
		case <-ctx.Done():
		}
		cancel()
		work.Wait()
		if ctx.Err() == nil {
			v.locks.complain(v.apply())
		}
	}
}

// list has every server list its tools once. Those that cannot be started are tried again.
func (v *servers) list(ctx context.Context) {
	pause := relistFirst
	for v.Refresh(ctx) != nil { // the client logs what is wrong with each of them
		if v.listed() {
			return // those that fail now are started by calls
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
		pause = min(2*pause, relistLast)
	}
}

// listed reports whether each server has listed its tools at some time.
func (v *servers) listed() bool {
	known := map[string]bool{}
	for _, l := range v.Tools() {
		known[l.Slug] = true
	}
	return !slices.ContainsFunc(v.file.Servers(), func(one serverfile.Server) bool { return !one.Disabled && !known[one.Slug] })
}
