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
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  between(0, 0, ""),
	}
	outputFlag(c, func(_ *cobra.Command, _ []string, asJSON bool) error {
		return printVersion(std, asJSON)
	})
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

// outputFlag adds -o, --output to a command and runs it with what that says.
func outputFlag(c *cobra.Command, run func(c *cobra.Command, args []string, asJSON bool) error) {
	var output string
	c.Flags().StringVarP(&output, "output", "o", "text", "`FORMAT` text or json")
	c.RunE = func(c *cobra.Command, args []string) error {
		if output != "text" && output != "json" {
			return usagef(c.CommandPath(), "--output %q is not known; write text or json", output)
		}
		return run(c, args, output == "json")
	}
}
