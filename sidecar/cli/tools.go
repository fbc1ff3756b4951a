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

const toolsText = `List the tools that an agent offers: those of its image. With --query, find those
that do something, best first: a query is words, half a word or a name. With
--effective, list those that you may call, of all tiers (platform, connectors, image)
and by explicit grants, each once, with who grants it and where that is inherited from.`

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
	c.Flags().StringVar(&query, "query", "", "find the tools that fit `TEXT`")
	c.Flags().IntVar(&limit, "limit", 0, "with --query: at most `N` tools (default 10)")
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
		return printTools(std.Out, tools)
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
	return printTools(out, tools)
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
// line of the description.
func printTools(out *os.File, tools []listedTool) error {
	if len(tools) == 0 {
		_, err := fmt.Fprintln(out, "no tools")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, t := range tools {
		name := t.Name
		if len(t.InputSchema.Required) > 0 {
			name += " (" + strings.Join(t.InputSchema.Required, ", ") + ")"
		}
		first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
		fmt.Fprintf(w, "%s\t%s\n", printable(name), printable(first))
	}
	return w.Flush()
}
