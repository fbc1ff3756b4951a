package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

const profileText = `Work with profiles: what is known of an agent at a terminal, one JSON file each. The
built-in ones are there to read and to take as the base of one of your own. How a
profile is written is in "sidecar help terminal".`

const profileExamples = `sidecar profile list
sidecar profile show codex > mine.json
sidecar profile test ./mine.json`

const profileExits = `0    done
1    a profile is wrong, or a test of it fails
2    the command line is wrong, or there is no profile of that name
125  a file cannot be read`

func newProfile(std Std) *cobra.Command {
	c := &cobra.Command{
		Use:         "profile COMMAND",
		Short:       "List, show, test and learn what is known of agents",
		Long:        profileText,
		Example:     profileExamples,
		Annotations: map[string]string{exitCodes: profileExits},
		Args:        cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(c.CommandPath(), "say what: %s", strings.Join(subcommands(c), " or "))
			}
			return unknownCommand(c, args[0])
		},
	}
	c.AddCommand(newProfileList(std), newProfileShow(std), newProfileTest(std), newProfileLearn(std))
	for _, sub := range c.Commands() {
		if sub.Annotations == nil {
			sub.Annotations = map[string]string{exitCodes: profileExits}
		}
		sub.DisableFlagsInUseLine = true
	}
	return c
}

// subcommands lists the names of the commands below c.
func subcommands(c *cobra.Command) (names []string) {
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return names
}

func newProfileList(std Std) *cobra.Command {
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the built-in profiles",
		Long:    `List the built-in profiles: their names, the commands that they are taken for, and what they were proven with.`,
		Example: "sidecar profile list\nsidecar profile list -o json | jq -r '.[].name'",
		Args:    between(0, 0, ""),
	}
	outputFlag(c, func(_ *cobra.Command, _ []string, asJSON bool) error { return listProfiles(std, asJSON) })
	return c
}

// profileLine is a built-in profile in the list.
type profileLine struct {
	Name     string   `json:"name"`
	About    string   `json:"about"`
	Commands []string `json:"commands"`
}

func listProfiles(std Std, asJSON bool) error {
	var all []profileLine
	for _, name := range agent.Names() {
		p, err := agent.Load(name)
		if err != nil {
			return err
		}
		all = append(all, profileLine{Name: p.Name, About: p.About, Commands: append([]string{}, p.Commands...)})
	}
	if asJSON {
		return json.NewEncoder(std.Out).Encode(all)
	}
	for _, l := range all {
		commands := strings.Join(l.Commands, ", ")
		if commands == "" {
			commands = "any other command"
		}
		if _, err := fmt.Fprintf(std.Out, "%-10s %s\n%-10s %s\n", l.Name, commands, "", l.About); err != nil {
			return err
		}
	}
	return nil
}

func newProfileShow(std Std) *cobra.Command {
	resolved := false
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Print a built-in profile",
		Long: `Print a built-in profile as the JSON file that it is. With --resolved NAME may be a
file too (with a slash, or ending in .json), which is printed together with what it
extends, as one file.`,
		Example: "sidecar profile show claude\nsidecar profile show generic | jq .questions\nsidecar profile show --resolved ./mine.json",
		Args:    between(1, 1, "the NAME of a profile"),
		RunE: func(c *cobra.Command, args []string) error {
			show := agent.Source
			if resolved {
				show = agent.Resolved
			} else if profile.IsFile(args[0]) {
				return usagef(c.CommandPath(), "%s is a file; to print it together with what it extends, give --resolved", args[0])
			}
			src, err := show(args[0])
			if err != nil {
				return profileError(c.CommandPath(), err)
			}
			_, err = io.WriteString(std.Out, src)
			return err
		},
		ValidArgsFunction: profileNames,
	}
	c.Flags().BoolVar(&resolved, "resolved", false, "together with what it extends")
	return c
}

// profileNames completes the first argument with the names of the built-in profiles, and
// with files.
func profileNames(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return agent.Names(), cobra.ShellCompDirectiveDefault
}
