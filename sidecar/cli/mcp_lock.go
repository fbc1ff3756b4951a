package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/lockfile"
)

const mcpLockText = `Start each MCP server of --mcp-config, as the sidecar would, and write down what it
offers: its version, and a hash of the definition of each tool. A sidecar tells of,
or leaves out, what is not written there (--mcp-unlocked). With --check nothing is
written, and what differs is printed.`

const mcpLockExits = `0    written; with --check: nothing differs
1    with --check: something differs
2    the command line is wrong
125  a file is bad, or a server cannot be started`

// mcpLockOptions are the flags of mcp lock.
type mcpLockOptions struct {
	std   Std
	files map[string][]string // the flags of config.MCP that were given
	check bool
}

func newMCPLock(std Std, settings *pflag.FlagSet) *cobra.Command {
	o := &mcpLockOptions{std: std, files: map[string][]string{}}
	c := &cobra.Command{
		Use:         "lock",
		Short:       "Write down what MCP servers offer, or compare it",
		Long:        mcpLockText,
		Example:     "sidecar mcp lock --mcp-config mcp.json\nsidecar mcp lock --mcp-config mcp.json --check",
		Annotations: map[string]string{exitCodes: mcpLockExits},
		Args:        between(0, 0, ""),
	}
	settingFlags(c, settings, o.files, config.MCPSettings()...)
	outputFlag(c, func(c *cobra.Command, _ []string, asJSON bool) error { return o.run(c, asJSON) })
	c.Flags().BoolVar(&o.check, "check", false, "write nothing, and exit 1 if something differs")
	return c
}

func (o *mcpLockOptions) run(c *cobra.Command, asJSON bool) error {
	cfg, err := config.MCP(o.files, o.std.Env)
	if err != nil {
		return configError(c.CommandPath(), err)
	}
	if cfg.MCPConfig == "" {
		return usagef(c.CommandPath(), "--mcp-config is missing: it names the file of the MCP servers")
	}
	ctx, stop := untilInterrupt(c.Context())
	defer stop()
	now, problems, err := sidecar.ListServers(ctx, cfg, o.std.Env, self(), o.std.Version)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return interrupted()
	case err != nil && now == nil:
		return badFiles(o.std, err)
	case err != nil: // a lock without some of them would take them out
		return &exitError{code: exitFault, err: err}
	}
	for _, p := range problems {
		fmt.Fprintf(o.std.Err, "sidecar: warning: %s\n", printable(p.Error()))
	}
	before, err := lockfile.Read(cfg.MCPLockFile())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil && o.check {
		return badFiles(o.std, err)
	}
	differs := lockfile.Compare(before, now)
	if !o.check {
		if err := now.Write(cfg.MCPLockFile()); err != nil {
			return &exitError{code: exitFault, err: err}
		}
	}
	return o.print(cfg.MCPLockFile(), now, differs, asJSON)
}

// print tells what differs, and how the command ends.
func (o *mcpLockOptions) print(file string, now *lockfile.Lock, differs []lockfile.Difference, asJSON bool) error {
	tools := 0
	for _, s := range now.Servers {
		tools += len(s.Tools)
	}
	if asJSON {
		type difference struct {
			Kind   string `json:"kind"`
			Server string `json:"server"`
			Tool   string `json:"tool,omitempty"`
		}
		doc := struct {
			File        string       `json:"file"`
			Servers     int          `json:"servers"`
			Tools       int          `json:"tools"`
			Differences []difference `json:"differences"`
		}{file, len(now.Servers), tools, []difference{}}
		for _, d := range differs {
			doc.Differences = append(doc.Differences, difference{d.Kind, d.Server, d.Tool})
		}
		if err := json.NewEncoder(o.std.Out).Encode(doc); err != nil {
			return err
		}
	} else {
		for _, d := range differs {
			fmt.Fprintln(o.std.Out, printable(d.String()))
		}
		says := "nothing differs"
		if len(differs) > 0 {
			says = text.Count(len(differs), "difference")
		}
		fmt.Fprintf(o.std.Out, "%s: %s, %s, %s\n", printable(file), text.Count(len(now.Servers), "server"), text.Count(tools, "tool"), says)
	}
	if o.check && len(differs) > 0 {
		return silent(exitFailed)
	}
	return nil
}
