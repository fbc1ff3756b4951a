package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Annotations that the help uses.
const (
	exitCodes    = "exit"     // the lines of the exit code table
	flagGroups   = "flags"    // on a flag: the heading under which it is listed
	flagUnlisted = "unlisted" // on a flag: help leaves it out
	noSettings   = "settings" // on a command: help leaves out the flags that are settings
)

// helpWidth is the width of help texts in columns, so that they fit the narrowest
// terminal in use without being cut.
const helpWidth = 100

// writeHelp prints a command's help. It uses no templates, because they would cost
// start-up time and dead-code elimination.
func writeHelp(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n", describe(c), c.UseLine())
	section(w, "Examples", c.Example)
	writeCommands(w, c)
	if !c.HasParent() {
		section(w, "Topics (sidecar help TOPIC)", listTopics())
	}
	_, brief := c.Annotations[noSettings]
	writeFlags(w, c.LocalFlags(), brief)
	section(w, "Exit codes", c.Annotations[exitCodes])
}

// newHelp makes the command help. help TOPIC prints a page; help COMMAND prints the
// same as COMMAND --help. If both have the name, the page is printed: the command has
// --help.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [TOPIC | COMMAND...]",
		Short: "Explain a topic or a command",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && writeTopic(c.OutOrStdout(), args[0]) {
				return nil
			}
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownTopic(c.Root(), strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			writeHelp(about, nil)
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return topicNames(), cobra.ShellCompDirectiveNoFileComp
		},
		DisableFlagsInUseLine: true,
	}
}

// unknownTopic returns an error that names the topic or command that was probably
// meant.
func unknownTopic(root *cobra.Command, name string) error {
	names := topicNames()
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	if near := jsontree.Nearest(name, names); near != "" {
		return usagef(root.CommandPath(), "there is no topic and no command %q; did you mean sidecar help %s?", name, near)
	}
	return usagef(root.CommandPath(), "there is no topic and no command %q; sidecar help lists them", name)
}

func describe(c *cobra.Command) string {
	if c.Long != "" {
		return c.Long
	}
	return c.Short + "."
}

// section prints indented lines under a heading, or nothing if there are none.
func section(w io.Writer, title, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		fmt.Fprintln(w, strings.TrimRight("  "+line, " "))
	}
}

// writeCommands lists the commands below c, by group if there are groups.
func writeCommands(w io.Writer, c *cobra.Command) {
	groups := c.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	for _, g := range groups {
		var lines []string
		for _, sub := range c.Commands() {
			if sub.GroupID == g.ID && sub.IsAvailableCommand() {
				lines = append(lines, fmt.Sprintf("%-13s %s", sub.Name(), sub.Short))
			}
		}
		section(w, g.Title, strings.Join(lines, "\n"))
	}
}

// flagRow is one flag as help shows it.
type flagRow struct{ left, doc string }

// writeFlags lists flags under their headings, in the order in which they were made
// (newRoot keeps pflag from sorting them).
func writeFlags(w io.Writer, flags *pflag.FlagSet, brief bool) {
	var titles []string
	rows := map[string][]flagRow{}
	width := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if _, unlisted := f.Annotations[flagUnlisted]; unlisted || f.Hidden {
			return
		}
		title := "Flags"
		if g := f.Annotations[flagGroups]; len(g) > 0 {
			if brief {
				return
			}
			title = g[0]
		}
		if !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
		row := rowOf(f)
		width = max(width, len(row.left))
		rows[title] = append(rows[title], row)
	})
	for _, title := range titles {
		var lines []string
		for _, row := range rows[title] {
			lines = append(lines, row.lines(width)...)
		}
		section(w, title, strings.Join(lines, "\n"))
	}
}

// rowOf splits a flag's usage: first a value in backquotes, then the doc.
func rowOf(f *pflag.Flag) flagRow {
	value, doc, found := strings.Cut(strings.TrimPrefix(f.Usage, "`"), "` ")
	if !found {
		value, doc = "", f.Usage
	}
	left := "    --" + f.Name
	if f.Shorthand != "" {
		left = "-" + f.Shorthand + ", --" + f.Name
	}
	if value != "" {
		left += " " + value
	}
	if f.Name == "help" {
		doc = "print this"
	}
	return flagRow{left: left, doc: doc}
}

// lines folds the doc next to the flag.
func (r flagRow) lines(width int) []string {
	var lines []string
	line := fmt.Sprintf("%-*s ", width, r.left)
	for word := range strings.FieldsSeq(r.doc) {
		if len(line)+1+len(word) > helpWidth-2 {
			lines = append(lines, line)
			line = strings.Repeat(" ", width+1)
		}
		line += " " + word
	}
	return append(lines, line)
}
