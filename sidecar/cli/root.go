package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"

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

// newRoot builds the whole tree.
func newRoot(std Std) *cobra.Command {
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
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	run := &runOptions{std: std, start: sidecar.Run, flags: map[string][]string{}}
	settings := run.flagSet()
	add(groupServe, newRun(run, settings), newConfig(run, settings), newCard(run, settings), newLogs(std), newAudit(std, settings), newHealthcheck(std), newDoctor(std), newDetect(std))
	add(groupTools, newInit(std), newValidate(std), newSchema(std), newIntrospect(std), newPolicy(std, settings))
	add(groupClient, newSend(std), newTools(std), newCall(std), newTasks(std), newGet(std), newOutput(std), newCancel(std), newStatus(std), newAttach(std),
		newApprovals(std), newApprove(std), newDeny(std))
	add(groupAgent, newEmit(std), newAsk(std))
	add(groupOther, newVersion(std), newCompletion(std))
	root.Flags().BoolVar(&showVersion, "version", false, "print the version")
	root.SetHelpCommand(newHelp())
	root.SetHelpCommandGroupID(groupOther)
	root.SetHelpFunc(writeHelp)
	root.SetUsageFunc(func(c *cobra.Command) error { writeHelp(c, nil); return nil })
	root.SetFlagErrorFunc(flagError)
	keepFlagOrder(root)
	return root
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
