package cli

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

const runText = `Wrap a command and serve it by A2A.

The command is what follows the flags (they end at the first argument, or at
--), else $SPRING_AGENT_ARGV (a JSON array), else $AGENT_CMD and $AGENT_ARGS
(each a JSON array, or words quoted as for a shell; no shell runs them).

A setting is taken from its flag, else from $SIDECAR_X_Y for --x-y, else from
the platform's variable [$NAME], else from --config, else its default [value].
More of them, limits for the most part, are in: sidecar help settings.
D is a duration such as 30s; SIZE is a number of bytes such as 8MiB or 200KB.`

const runExamples = `sidecar run -- claude                        use claude here, and by A2A on port 8999
AGENT_CMD=cat sidecar run --mode oneshot     one process per message
sidecar run --port 0 --manifest tools.json -- python3 -q
sidecar config --config sidecar.json         what holds, and where it came from`

const runExits = `the agent's own (128+n for signal n), or
2    the command line is wrong
125  the sidecar's own fault: settings, manifest, port, state directory, tokens, TLS
126  the command cannot be executed
127  the command was not found`

// runOptions are the flags of run; start is sidecar.Run.
type runOptions struct {
	std   Std
	start func(context.Context, sidecar.Options) (int, error)
	flags map[string][]string
}

func newRun(o *runOptions, settings *pflag.FlagSet) *cobra.Command {
	c := &cobra.Command{
		Use:         "run [flags] [--] [COMMAND [ARG...]]",
		Short:       "Wrap a command and serve it",
		Long:        runText,
		Example:     runExamples,
		Annotations: map[string]string{exitCodes: runExits},
		RunE:        func(c *cobra.Command, args []string) error { return o.run(c.Context(), args) },

		DisableFlagsInUseLine: true,
	}
	addSettings(c, settings)
	return c
}

// flagSet returns a flag for each setting. Of the rare ones only completion knows.
func (o *runOptions) flagSet() *pflag.FlagSet {
	flags := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	flags.SortFlags = false // as keepFlagOrder
	all := config.Settings()
	for i := range all {
		s := &all[i]
		f := flags.VarPF(&rawFlag{setting: s, into: o.flags}, s.Name, "", settingDoc(s))
		f.Annotations = map[string][]string{flagGroups: {s.Group}}
		if s.Rare {
			f.Annotations[flagUnlisted] = nil
		}
		if s.Switch() {
			f.NoOptDefVal = "true"
		}
	}
	return flags
}

// addSettings gives a command the flags of run. The commands share them, because
// only one command runs.
func addSettings(c *cobra.Command, settings *pflag.FlagSet) {
	c.Flags().SetInterspersed(false)
	c.Flags().AddFlagSet(settings)
}

// settingDoc returns a setting's line of help: what it does, its default, and the
// platform's name for it.
func settingDoc(s *config.Setting) string {
	doc := s.Doc
	if !s.Switch() {
		doc = "`" + s.Value + "` " + doc
	}
	if d := s.DefaultText(); d != "" && !s.Switch() {
		doc += " [" + d + "]"
	}
	if s.Platform != "" {
		doc += " [$" + s.Platform + "]"
	}
	return doc
}

// rawFlag collects values unchanged: config parses them, together with the other
// sources.
type rawFlag struct {
	setting *config.Setting
	into    map[string][]string
}

func (f *rawFlag) Set(s string) error {
	f.into[f.setting.Name] = append(f.into[f.setting.Name], s)
	return nil
}

func (f *rawFlag) String() string { return f.setting.Default }

func (f *rawFlag) Type() string {
	if f.setting.Switch() {
		return "bool"
	}
	return f.setting.Value
}

func (o *runOptions) run(ctx context.Context, args []string) error {
	loaded, err := o.load(args)
	if err != nil {
		return runError("run", err)
	}
	return o.serve(ctx, loaded)
}

// load decides every setting.
func (o *runOptions) load(args []string) (*config.Loaded, error) {
	return config.Load(config.Sources{
		Args: args, Flags: o.flags, Environ: o.std.Env, Container: config.InContainer(o.std.Env), Choose: o.chooseMode,
	})
}

func (o *runOptions) serve(ctx context.Context, loaded *config.Loaded) error {
	person := loaded.Config.Passthrough(tty.IsForegroundTerminal(o.std.In, o.std.Out))
	j, err := openJournal(&loaded.Config, o.std, person)
	if err != nil {
		return err
	}
	served := false
	code, err := o.start(ctx, sidecar.Options{
		Config: loaded.Config, Log: j.log, Warnings: loaded.Warnings,
		Stdin: o.std.In, Stdout: o.std.Out, Stderr: o.std.Err,
		Environ: o.std.Env, Version: version(o.std), Self: self(),
		Serving: func(string) { served = true; j.hold.release() }, Ending: j.seal,
	})
	j.close(served)
	if err != nil {
		return &exitError{code: orFault(code), err: err}
	}
	return silent(code)
}

// self returns the path of our own binary, "" if it is not known.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

// orFault makes sure that an error does not end with the code of success.
func orFault(code int) int {
	if code == 0 {
		return exitFault
	}
	return code
}

// runError adds a hint where to look for the cause.
func runError(command string, err error) error {
	err = configError("sidecar "+command, err)
	var e *exitError
	if errors.As(err, &e) && e.code == exitFault && command != "config" {
		e.hint = "sidecar config shows where each value comes from"
	}
	return err
}
