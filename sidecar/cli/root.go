package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

const rootText = `sidecar wraps a command-line agent and serves it by A2A: an agent card, a tool
list, messages, streams, cancellation, and tool calls with checked arguments.`

const rootExamples = `sidecar run -- claude                      wrap an agent, and use it as ever
AGENT_CMD=cat sidecar run --mode oneshot   one process per message
sidecar send 'hello'                       talk to it from elsewhere
sidecar validate tools.json                check a tool manifest`

// The groups of the root's help.
const (
	groupServe  = "serve"
	groupTools  = "tools"
	groupClient = "client"
	groupAgent  = "agent"
	groupOther  = "other"
)

// entry is a command of the root: its name, its group in the root's help, and what makes it.
type entry struct {
	name, group string
	make        func() *cobra.Command
}

// entries lists the root's commands, in the order of its help. settings are the flags of run.
func entries(std Std, run *runOptions, settings func() *pflag.FlagSet) []entry {
	of := func(f func(Std) *cobra.Command) func() *cobra.Command { return func() *cobra.Command { return f(std) } }
	return []entry{
		{"run", groupServe, func() *cobra.Command { return newRun(run, settings()) }},
		{"config", groupServe, func() *cobra.Command { return newConfig(run, settings()) }},
		{"card", groupServe, func() *cobra.Command { return newCard(run, settings()) }},
		{"logs", groupServe, of(newLogs)},
		{"audit", groupServe, func() *cobra.Command { return newAudit(std, settings()) }},
		{"healthcheck", groupServe, of(newHealthcheck)},
		{"doctor", groupServe, of(newDoctor)},
		{"detect", groupServe, of(newDetect)},
		{"profile", groupServe, of(newProfile)},
		{"init", groupTools, of(newInit)},
		{"validate", groupTools, of(newValidate)},
		{"schema", groupTools, of(newSchema)},
		{"introspect", groupTools, of(newIntrospect)},
		{"policy", groupTools, func() *cobra.Command { return newPolicy(std, settings()) }},
		{"send", groupClient, of(newSend)},
		{"tools", groupClient, of(newTools)},
		{"call", groupClient, of(newCall)},
		{"tasks", groupClient, of(newTasks)},
		{"get", groupClient, of(newGet)},
		{"output", groupClient, of(newOutput)},
		{"cancel", groupClient, of(newCancel)},
		{"changes", groupClient, of(newChanges)},
		{"undo", groupClient, of(newUndo)},
		{"status", groupClient, of(newStatus)},
		{"attach", groupClient, of(newAttach)},
		{"approvals", groupClient, of(newApprovals)},
		{"approve", groupClient, of(newApprove)},
		{"deny", groupClient, of(newDeny)},
		{"emit", groupAgent, of(newEmit)},
		{"ask", groupAgent, of(newAsk)},
		{"mcp", groupAgent, func() *cobra.Command { return newMCP(std, settings()) }},
		{"version", groupOther, of(newVersion)},
		{completionName, groupOther, of(newCompletion)},
	}
}

// newRoot builds the tree for a command line, without the program's name. One that begins
// with a command's name gets that command alone: every start pays for what is built. Any
// other gets them all, and so does completion, which is about all of them.
func newRoot(std Std, args []string) *cobra.Command {
	showVersion := false
	root := &cobra.Command{
		Use:     "sidecar COMMAND",
		Short:   "Give a command-line agent an A2A face",
		Long:    rootText,
		Example: rootExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case showVersion:
				return printVersion(std, false)
			case len(args) == 0:
				return c.Help()
			}
			return unknownCommand(c, args[0])
		},
		SilenceUsage:          true,
		SilenceErrors:         true,
		DisableFlagsInUseLine: true,
		CompletionOptions:     cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.AddGroup(
		&cobra.Group{ID: groupServe, Title: "Wrap an agent"},
		&cobra.Group{ID: groupTools, Title: "Write tools"},
		&cobra.Group{ID: groupClient, Title: "Use an agent"},
		&cobra.Group{ID: groupAgent, Title: "Inside an agent"},
		&cobra.Group{ID: groupOther, Title: "Other"},
	)
	run := &runOptions{std: std, start: sidecar.Run, flags: map[string][]string{}}
	all := entries(std, run, sync.OnceValue(run.flagSet))
	for _, e := range named(all, args) {
		c := e.make()
		c.GroupID = e.group
		root.AddCommand(c)
	}
	root.Flags().BoolVar(&showVersion, "version", false, "print the version")
	root.SetHelpCommand(newHelp())
	root.SetHelpCommandGroupID(groupOther)
	root.SetHelpFunc(writeHelp)
	root.SetUsageFunc(func(c *cobra.Command) error { writeHelp(c, nil); return nil })
	root.SetFlagErrorFunc(flagError)
	keepFlagOrder(root)
	return root
}

// named returns the entry that a command line begins with, or all of them.
func named(all []entry, args []string) []entry {
	if len(args) == 0 || args[0] == completionName {
		return all
	}
	for i, e := range all {
		if e.name == args[0] {
			return all[i : i+1]
		}
	}
	return all
}

func keepFlagOrder(c *cobra.Command) {
	c.Flags().SortFlags = false
	for _, sub := range c.Commands() {
		keepFlagOrder(sub)
	}
}

// flagError turns pflag's error into a usage error, and names the flag that was
// probably meant.
func flagError(c *cobra.Command, err error) error {
	if !c.HasParent() && c.Flags().NArg() > 0 {
		return unknownCommand(c, c.Flags().Arg(0)) // the flag belongs to it
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if now := config.ReplacedFlag(unknown.GetSpecifiedName()); now != nil && c.Flags().Lookup("workspace") != nil {
			return usagef(c.CommandPath(), "--%s %w", unknown.GetSpecifiedName(), now)
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		near := jsontree.Nearest(unknown.GetSpecifiedName(), names)
		if name := unknown.GetSpecifiedName(); (name == "port" || name == "host") && slices.Contains(names, "url") {
			near = "url" // run has those two
		}
		if near != "" {
			err = fmt.Errorf("%w; did you mean --%s?", err, near)
		}
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		err = fmt.Errorf("--%s=%q %s", invalid.GetFlag().Name, invalid.GetValue(), wanted(invalid.GetFlag().Value.Type()))
	}
	return usagef(c.CommandPath(), "%w", err)
}

// wanted returns what a flag of that type accepts.
func wanted(kind string) string {
	switch kind {
	case "duration":
		return "is not a duration; write one such as 500ms, 30s or 1h30m"
	case "bool":
		return "is neither true nor false"
	case "int", "int64", "uint64":
		return "is not a whole number"
	case "float64":
		return "is not a number"
	}
	return "is not a value that it takes"
}

// unknownCommand names the command that was probably meant, or run if there is a
// program of that name.
func unknownCommand(c *cobra.Command, name string) error {
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	hint := ""
	if near := jsontree.Nearest(name, names); near != "" {
		hint = "; did you mean " + near + "?"
	}
	if _, err := proc.LookPath(name, "", os.Environ()); err == nil && !c.HasParent() {
		hint += " (to wrap the program of that name: sidecar run -- " + name + ")"
	}
	return usagef(c.CommandPath(), "there is no command %q%s", name, hint)
}

// between checks the number of arguments, and its error says what is expected.
func between(low, high int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < low {
			return usagef(c.CommandPath(), "%s is missing", what)
		}
		if len(args) > high {
			return usagef(c.CommandPath(), "%q is one argument too many", args[high])
		}
		return nil
	}
}
