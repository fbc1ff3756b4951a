package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/manifest"
)

const schemaText = `Print the JSON Schema of tool manifests, for editors: they then complete keys and
mark faults while one types. validate knows more than a schema can say.`

const schemaExamples = `sidecar schema > tools.schema.json
  and in VS Code's settings.json:
  "json.schemas": [{"fileMatch": ["tools.json"], "url": "./tools.schema.json"}]`

func newSchema(std Std) *cobra.Command {
	return &cobra.Command{
		Use:         "schema",
		Short:       "Print the JSON Schema of manifests",
		Long:        schemaText,
		Example:     schemaExamples,
		Annotations: map[string]string{exitCodes: "0  printed\n2  the command line is wrong"},
		Args:        between(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(std.Out, manifest.JSONSchema())
			return err
		},
	}
}
