package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version returns what the build was given, otherwise what go install knows,
// otherwise dev.
func version(std Std) string {
	if std.Version != "" {
		return std.Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

func newVersion(std Std) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  between(0, 0, ""),
		RunE: func(c *cobra.Command, _ []string) error {
			asJSON, err := wantsJSON(c, output)
			if err != nil {
				return err
			}
			return printVersion(std, asJSON)
		},
	}
	outputFlag(c, &output)
	return c
}

func printVersion(std Std, asJSON bool) error {
	v := struct {
		Version  string   `json:"version"`
		Protocol []string `json:"protocols"`
		Go       string   `json:"go"`
		Platform string   `json:"platform"`
	}{version(std), []string{"1.0", "0.3"}, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if asJSON {
		return json.NewEncoder(std.Out).Encode(v)
	}
	_, err := fmt.Fprintf(std.Out, "sidecar %s (A2A 1.0 and 0.3, %s, %s)\n", v.Version, v.Go, v.Platform)
	return err
}

// outputFlag adds -o, --output.
func outputFlag(c *cobra.Command, into *string) {
	c.Flags().StringVarP(into, "output", "o", "text", "`FORMAT` text or json")
}

// wantsJSON reports whether the flag of outputFlag asks for JSON.
func wantsJSON(c *cobra.Command, output string) (bool, error) {
	switch output {
	case "json":
		return true, nil
	case "text":
		return false, nil
	}
	return false, usagef(c.CommandPath(), "--output %q is not known; write text or json", output)
}
