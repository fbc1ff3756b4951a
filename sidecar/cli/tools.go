package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

const toolsText = `List the tools that an agent offers.`

func newTools(std Std) *cobra.Command {
	t := target{std: std}
	c := &cobra.Command{
		Use:         "tools",
		Short:       "List an agent's tools",
		Long:        toolsText,
		Example:     "sidecar tools\nsidecar tools -o json | jq '.[].name'",
		Annotations: map[string]string{exitCodes: "0  listed\n1  the server answered an error\n4  no sidecar there"},
		Args:        between(0, 0, ""),
	}
	t.addFlag(c)
	outputFlag(c, func(c *cobra.Command, _ []string, asJSON bool) error {
		client, base, err := t.client()
		if err != nil {
			return err
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
