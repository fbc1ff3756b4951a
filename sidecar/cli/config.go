package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

const configText = `Print every setting as run would have it, and where it came from: a flag, a
variable, the file, the default. It takes the flags of run, and a command, and
starts nothing. What looks like a secret in the command is masked.`

const configExamples = `sidecar config                               what holds with this environment
sidecar config --config sidecar.json --port 7 -- claude`

const configExits = `0    all is well
2    the command line is wrong
125  a setting is wrong; it is printed all the same`

func newConfig(o *runOptions, settings *pflag.FlagSet) *cobra.Command {
	c := &cobra.Command{
		Use:         "config [flags of run] [--] [COMMAND [ARG...]]",
		Short:       "Print every setting, and where it came from",
		Long:        configText,
		Example:     configExamples,
		Annotations: map[string]string{exitCodes: configExits, noSettings: ""},
		RunE:        func(_ *cobra.Command, args []string) error { return o.printConfig(args) },

		DisableFlagsInUseLine: true,
	}
	addSettings(c, settings)
	return c
}

// printConfig shows what was decided even if it is wrong, because that is when one
// wants to see it. It needs no command to show the rest.
func (o *runOptions) printConfig(args []string) error {
	loaded, err := o.load(args)
	if err := loaded.Print(o.std.Out); err != nil {
		return err
	}
	for _, w := range loaded.Warnings {
		fmt.Fprintf(o.std.Err, "sidecar: warning: %s\n", printable(w))
	}
	var faults config.Faults
	if errors.As(err, &faults) && len(faults) == 1 && errors.Is(faults[0], config.ErrNoCommand) {
		return nil
	}
	return runError("config", err)
}
