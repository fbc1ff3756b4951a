package shell

import (
	"slices"
	"strings"
)

// git looks for what git runs that is not git: settings that name programs, and
// subcommands that take commands.
func (r *reader) git(c *Command) {
	sub := -1
	args := c.Words[1:]
	for i := 0; i < len(args) && sub < 0; i++ {
		switch a := args[i]; {
		case !a.Fixed:
			r.doubt("arguments of git that are not known")
			return
		case a.Text == "-C" || a.Text == "--git-dir" || a.Text == "--work-tree" || a.Text == "--namespace":
			i++
		case strings.HasPrefix(a.Text, "-c"), starts(a.Text, []string{"--config-env", "--exec-path"}):
			r.doubt("git " + a.Text[:2] + " with a setting")
			r.text(args[i:])
			return
		case !strings.HasPrefix(a.Text, "-"):
			sub = i
		}
	}
	if sub < 0 {
		return
	}
	if running, ok := gitRuns(args[sub].Text); ok && slices.ContainsFunc(args[sub+1:], func(w Word) bool {
		return len(running) == 0 || !w.Fixed && (w.Text == "" || strings.HasPrefix(w.Text, "-")) || starts(w.Text, running)
	}) {
		r.doubt("what git " + args[sub].Text + " starts")
		r.suspects(args[sub:], c.Open)
	}
}

// gitRuns returns the options with which a subcommand of git starts other commands; no
// options mean that it does with any argument.
func gitRuns(sub string) (options []string, ok bool) {
	switch sub {
	case "bisect", "filter-branch", "submodule", "config", "credential", "daemon", "mergetool", "send-email", "hook", "for-each-repo", "maintenance":
		return nil, true
	case "rebase":
		return []string{"-x", "--exec"}, true
	case "difftool":
		return []string{"-x", "--extcmd"}, true
	case "grep":
		return []string{"-O", "--open-files-in-pager"}, true
	case "clone", "fetch", "pull", "ls-remote", "fetch-pack":
		return []string{"-c", "-u", "--config", "--upload-pack", "ext::"}, true
	case "push", "send-pack":
		return []string{"--exec", "--receive-pack", "ext::"}, true
	case "archive":
		return []string{"--exec", "--remote"}, true
	case "diff", "log", "show":
		return []string{"--ext-diff", "--output"}, true
	}
	return nil, false
}
