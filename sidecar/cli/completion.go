package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
)

// completionName is the name of the command that is about all the others.
const completionName = "completion"

const completionText = `Print a script that completes sidecar's commands and flags with the Tab key.`

const completionExamples = `source <(sidecar completion bash)             in ~/.bashrc
sidecar completion zsh > ~/.zfunc/_sidecar    with ~/.zfunc in $fpath
sidecar completion fish | source              in config.fish`

func newCompletion(std Std) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:       completionName + " bash|zsh|fish|powershell",
		Short:     "Print a completion script for a shell",
		Long:      completionText,
		Example:   completionExamples,
		ValidArgs: shells,
		Args:      between(1, 1, "the shell (bash, zsh, fish or powershell)"),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(shells, args[0]) {
				return usagef(c.CommandPath(), "%q is not a shell that is known here", args[0])
			}
			return writeCompletion(c.Root(), std, args[0])
		},
	}
}

// bashWords replaces the part of the generated script that calls a function of the
// bash-completion package, for shells that lack that package.
const bashWords = `
# The words of the line up to the cursor, put together again where bash splits
# them at = and :.
__sidecar_init_completion()
{
    local line=${COMP_LINE:0:COMP_POINT} rest i
    COMPREPLY=() words=() cword=-1
    for ((i = 0; i <= COMP_CWORD; i++)); do
        rest=${line#"${line%%[![:space:]]*}"}
        if [[ $cword == -1 || $rest != "$line" ]]; then
            words[++cword]=
        fi
        if [[ $i == "$COMP_CWORD" ]]; then
            words[cword]+=$rest
        else
            words[cword]+=${COMP_WORDS[i]}
        fi
        line=${rest#"${COMP_WORDS[i]}"}
    done
    cur=${words[cword]} prev=${words[cword-1]}
}
`

func writeCompletion(root *cobra.Command, std Std, shell string) error {
	switch shell {
	case "bash":
		if err := root.GenBashCompletionV2(std.Out, true); err != nil {
			return err
		}
		_, err := io.WriteString(std.Out, bashWords)
		return err
	case "zsh":
		return root.GenZshCompletion(std.Out)
	case "fish":
		return root.GenFishCompletion(std.Out, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(std.Out)
	}
	return fmt.Errorf("no completion for %s", shell)
}
