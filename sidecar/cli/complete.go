package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// completeTime is how long Tab waits for a sidecar to list its tools or tasks.
const completeTime = time.Second

// words completes a flag's value, or an argument, from a fixed list of words.
func words(all ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

// nothing offers no completion, not even files, for a value that nobody can guess.
func nothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// directories completes with the names of directories.
func directories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// profiles completes with the names of the built-in profiles, and with files.
func profiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return agent.Names(), cobra.ShellCompDirectiveDefault
}

// completeFlags sets how flags complete their values: the flags of run by the table
// of settings, flags that several commands share by their names.
func completeFlags(std Std, c *cobra.Command) {
	shared := map[string]cobra.CompletionFunc{
		"output": words("text", "json"), "state": words(stateNames()...), "level": words(logLevels()...), "profile": profiles,
		"lines": nothing, "limit": nothing, "at": nothing, "timeout": nothing, "context": nothing, "url": nothing,
	}
	switch c.Name() {
	case "run", "config", "card":
		for _, s := range config.Settings() {
			if how := settingWords(s); how != nil {
				shared[s.Name] = how
			}
		}
	case "send":
		t := &target{std: std, command: c}
		shared["task"] = t.taskIDs(a2a.TaskState.Interrupted)
	}
	for name, how := range shared {
		if c.Flags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, how) // the flag is there, and has no other
		}
	}
	for _, sub := range c.Commands() {
		completeFlags(std, sub)
	}
}

// settingWords returns how a setting's value is completed; nil completes with files.
func settingWords(s config.Setting) cobra.CompletionFunc {
	switch choices := s.Choices(); {
	case s.Name == "profile":
		return profiles
	case len(choices) > 0:
		return words(choices...)
	case s.Value == "FILE":
		return nil
	case s.Value == "DIR":
		return directories
	}
	return nothing
}

// tools completes the first argument with the tools that the target sidecar offers,
// and later arguments with files.
func (t *target) tools(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var found []string
	t.ask(c, func(ctx context.Context, client *client.Client) {
		doc, err := client.Tools(ctx)
		if err != nil {
			return
		}
		tools, _ := readTools(doc.Body) // none if it is not a list
		for _, tool := range tools {
			found = append(found, described(tool.Name, tool.Description))
		}
	})
	return found, cobra.ShellCompDirectiveNoFileComp
}

// taskIDs completes a task's id with the tasks whose state fits; nil allows all
// states.
func (t *target) taskIDs(fits func(a2a.TaskState) bool) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		var found []string
		t.ask(c, func(ctx context.Context, client *client.Client) {
			one := 1
			list, err := client.List(ctx, &a2a.ListRequest{PageSize: maxPage, HistoryLength: &one})
			if err != nil {
				return
			}
			for _, task := range list.Tasks {
				if fits == nil || fits(task.Status.State) {
					found = append(found, described(task.ID, stateName(task.Status.State)+" "+lastMessage(task)))
				}
			}
		})
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// ask calls fn with a client of the target sidecar, if there is one. It shows no
// errors to a person who presses Tab.
func (t *target) ask(c *cobra.Command, fn func(context.Context, *client.Client)) {
	client, _, err := t.client()
	if err != nil {
		return
	}
	ctx := c.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completeTime)
	defer cancel()
	fn(ctx, client)
}

// described returns a word with the text that the shell shows beside it.
func described(word, about string) string {
	return cobra.CompletionWithDesc(printable(word), strings.ReplaceAll(printable(fitting(first(about), excerptCols)), "\t", " "))
}
