package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

const profileText = `Work with profiles. A profile is a JSON file that says how an agent at a terminal is
started, typed to and read. You can read the built-in profiles and extend them with
your own. "sidecar help terminal" says how to write one.`

const profileExamples = `sidecar profile list
sidecar profile show codex > mine.json
sidecar profile test ./mine.json`

const profileExits = `0    done
1    a profile is wrong, it has no tests, or one of its tests fails
2    the command line is wrong, or no profile has that name
125  a profile or a recording cannot be read`

func newProfile(std Std) *cobra.Command {
	c := &cobra.Command{
		Use:         "profile COMMAND",
		Short:       "List, show, test and learn profiles of agents",
		Long:        profileText,
		Example:     profileExamples,
		Annotations: map[string]string{exitCodes: profileExits},
		Args:        cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(c.CommandPath(), "give a command: %s", text.Enumerate(subcommands(c), "or"))
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

// subcommands returns the names of the commands of c.
func subcommands(c *cobra.Command) (names []string) {
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return names
}

func newProfileList(std Std) *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List the built-in profiles",
		Long: `List the built-in profiles with the commands that they are for, and the versions that
they were tested with.`,
		Example: "sidecar profile list\nsidecar profile list -o json | jq -r '.[].name'",
		Args:    between(0, 0, ""),
	}
	outputFlag(c, func(_ *cobra.Command, _ []string, asJSON bool) error { return listProfiles(std, asJSON) })
	return c
}

// profileLine is one profile in the list.
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
		Long: `Print the JSON file of a built-in profile. With --resolved, NAME can also be a file
(with a slash, or ending in .json). The file is then merged with the profile that it
extends, and printed as one file.`,
		Example: "sidecar profile show claude\nsidecar profile show generic | jq .questions\nsidecar profile show --resolved ./mine.json",
		Args:    between(1, 1, "the NAME of a profile"),
		RunE: func(c *cobra.Command, args []string) error {
			show := agent.Source
			if resolved {
				show = agent.Resolved
			} else if profile.IsFile(args[0]) {
				return usagef(c.CommandPath(), "%s is a file; give --resolved to print it merged with what it extends", args[0])
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
	c.Flags().BoolVar(&resolved, "resolved", false, "merge the profile with what it extends")
	return c
}

// profileNames completes the first argument as profiles does, and offers no second one.
func profileNames(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nothing(c, args, word)
	}
	return profiles(c, args, word)
}
