package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

const toolsText = `List the tools that an agent's image offers. With --effective, list those that you may
call, of all tiers (platform, connectors such as MCP servers, image), by explicit
grants and of the sidecar's own (--tools), each once, with who grants it and where
that is inherited from. With --query, find those among them that do something, best
first: a query is words, half a word or a name.`

func newTools(std Std) *cobra.Command {
	t, effective := target{std: std}, &effectiveOptions{}
	var query string
	var limit int
	c := &cobra.Command{
		Use:         "tools",
		Short:       "List an agent's tools",
		Long:        toolsText,
		Example:     "sidecar tools\nsidecar tools --query 'send a message'\nsidecar tools -o json | jq '.[].name'\nsidecar tools --effective --absent",
		Annotations: map[string]string{exitCodes: "0  listed\n1  the server answered an error\n2  the command line is wrong\n4  no sidecar there"},
		Args:        between(0, 0, ""),
	}
	t.addFlag(c)
	effective.addFlags(c)
	c.Flags().StringVar(&query, "query", "", "`TEXT` that says what to find; all tools are searched that you may call")
	c.Flags().IntVar(&limit, "limit", 0, "`N` tools at most, with --query (10)")
	outputFlag(c, func(c *cobra.Command, _ []string, asJSON bool) error {
		searches := c.Flags().Changed("query")
		switch {
		case c.Flags().Changed("limit") && (!searches || limit < 1):
			return usagef(c.CommandPath(), "--limit is a number of tools, 1 or more, and belongs to --query")
		case effective.effective && searches:
			return usagef(c.CommandPath(), "--effective lists tools and --query finds some: write one of them")
		case effective.effective:
			return effective.run(&t, c, asJSON)
		case effective.absent:
			return usagef(c.CommandPath(), "--absent says which effective tools are absent: write --effective --absent")
		}
		client, base, err := t.client()
		if err != nil {
			return err
		}
		if searches {
			return findTools(c.Context(), std.Out, client, base, query, limit, asJSON)
		}
		doc, err := client.Tools(c.Context())
		if err != nil {
			return clientError(base, err)
		}
		tools, err := readTools(doc.Body)
		if err != nil {
			return notASidecar(base, "no list of tools")
		}
		if asJSON {
			_, err = fmt.Fprintf(std.Out, "%s\n", doc.Body)
			return err
		}
		return printTools(std.Out, tools, "no tools of its image; those of other tiers: sidecar tools --effective")
	})
	return c
}

// findTools prints what a query finds.
func findTools(ctx context.Context, out *os.File, c *client.Client, base, query string, limit int, asJSON bool) error {
	found, err := c.SearchTools(ctx, query, limit)
	if err != nil {
		return clientError(base, err)
	}
	if asJSON {
		doc, err := text.JSON(found)
		if err == nil {
			_, err = fmt.Fprintf(out, "%s\n", doc)
		}
		return err
	}
	tools := make([]listedTool, len(found))
	for i, f := range found {
		tools[i] = listedTool{Name: f.Name, Description: f.Description}
	}
	return printTools(out, tools, "no tools")
}

// listedTool is the part of the list that people read of a tool.
type listedTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	InputSchema struct {
		Required []string `json:"required"`
	} `json:"inputSchema"`
}

func readTools(body []byte) ([]listedTool, error) {
	var tools []listedTool
	if err := json.Unmarshal(body, &tools); err != nil {
		return nil, fmt.Errorf("the tool list is not readable: %w", err)
	}
	return tools, nil
}

// printTools prints a table: each name with its required arguments, and the first
// line of the description. none is what it says of an empty list.
func printTools(out *os.File, tools []listedTool, none string) error {
	if len(tools) == 0 {
		_, err := fmt.Fprintln(out, none)
		return err
	}
	widest := 0
	for i := range tools {
		widest = max(widest, width(nameOf(&tools[i])))
	}
	w := tabwriter.NewWriter(out, 0, 4, columnGap, ' ', 0)
	for i := range tools {
		first, _, _ := strings.Cut(strings.TrimSpace(tools[i].Description), "\n")
		fmt.Fprintf(w, "%s\t%s\n", nameOf(&tools[i]), besideNames(out, widest, printable(first)))
	}
	return w.Flush()
}

// nameOf returns a tool's name with its required arguments, for a terminal.
func nameOf(t *listedTool) string {
	if len(t.InputSchema.Required) == 0 {
		return printable(t.Name)
	}
	return printable(t.Name + " (" + strings.Join(t.InputSchema.Required, ", ") + ")")
}

// columnGap is how many columns are between those of a table.
const columnGap = 2

// besideNames cuts a text to the right of names so that a terminal does not wrap it. "": there is no
// room for it. What goes elsewhere is whole.
func besideNames(out *os.File, widest int, says string) string {
	if !isTerminal(out) {
		return says
	}
	room := columns(out) - widest - columnGap
	if room <= columnGap {
		return ""
	}
	return fitting(says, room)
}
