package sidecar

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/dial"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/lockfile"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/serverfile"
)

// Unlocked returns the servers of the file that the lock file does not have, and those that it has.
// It starts nothing. The error says which file is bad.
func Unlocked(c *config.Config, environ []string) (without, with []string, err error) {
	all, err := readServers(c, environ)
	if err != nil {
		return nil, nil, err
	}
	locks, err := openLocks(c.MCPLockFile(), c.MCPUnlocked, func(string) error { return nil }, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	for _, one := range all {
		switch {
		case one.Disabled:
		case locks.has(one.Slug):
			with = append(with, one.Slug)
		default:
			without = append(without, one.Slug)
		}
	}
	return without, with, nil
}

func readServers(c *config.Config, environ []string) ([]serverfile.Server, error) {
	data, err := serverfile.Read(c.MCPConfig)
	if err != nil {
		return nil, err
	}
	return serverfile.Parse(c.MCPConfig, data, serverfile.Options{Lookup: lookup(environ), Reserved: c.ReservedNamespace})
}

// ListServers starts each MCP server of the file in its sandbox, has it list its tools and stops
// it. self is Options.Self. problems say which tools were left out, and why. The error names each
// server that could not be asked.
func ListServers(ctx context.Context, c *config.Config, environ []string, self, version string) (lock *lockfile.Lock, problems []error, err error) {
	all, err := readServers(c, environ)
	if err != nil {
		return nil, nil, err
	}
	temp, err := channel.NewScratch(os.TempDir(), c.User != nil)
	if err != nil {
		return nil, nil, fmt.Errorf("a directory for what the servers write: %w", err)
	}
	defer temp.Remove()
	host := proc.NewHost(proc.HostOptions{})
	defer host.Close()
	o := dial.Options{Host: host, Env: environ, Workspace: c.Workspace, User: c.User, RuntimeDir: temp.Path(), Grace: dial.MaxGrace}
	spaces := namespaces(c, self)
	if o.Scope, err = newScope(c, environ, spaces); err != nil {
		return nil, nil, err
	}
	if mode := confine.Mode(c.Sandbox); mode != confine.Off {
		private := []confine.Private{{Path: absolute(c.MCPConfig), Setting: "--mcp-config"}, {Path: absolute(c.MCPLockFile()), Setting: "--mcp-lock"}}
		if o.Sandbox, err = confine.New(confine.Options{Mode: mode, User: c.User, Self: self, Namespaces: spaces, Private: private}); err != nil {
			return nil, nil, err
		}
	}
	dialer := dial.New(o)
	defer dialer.Close()
	servers := client.New(client.Options{Reserved: c.ReservedNamespace, Version: version})
	defer servers.Close()
	var set []client.Server
	for _, one := range all {
		if !one.Disabled {
			set = append(set, client.Server{Slug: one.Slug, Dial: func(ctx context.Context) (mcp.Transport, error) { return dialer.Dial(ctx, &one) }, Requires: one.Requires})
		}
	}
	if err := servers.Set(set); err != nil {
		return nil, nil, err
	}
	err = servers.Refresh(ctx)
	lock, problems = lockOf(servers.Tools())
	return lock, problems, err
}

// lockOf returns the lock of what servers have listed.
func lockOf(lists []*client.List) (lock *lockfile.Lock, problems []error) {
	lock = &lockfile.Lock{Servers: map[string]lockfile.Server{}}
	for _, l := range lists {
		s := lockfile.Server{Name: l.Name, Version: l.Version, Tools: map[string]string{}}
		for _, t := range l.Tools {
			s.Tools[t.External.Name] = t.External.Hash
		}
		lock.Servers[l.Slug] = s
		problems = append(problems, l.Problems...)
	}
	return lock, problems
}
