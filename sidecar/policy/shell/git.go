package shell

import (
	"slices"
	"strings"
)

// git looks for what git runs that is not git: settings that name programs, and
// subcommands that take commands.
func (r *reader) git(c *Command) {
	args := c.Words[1:]
	sub, ok := r.subcommand(args)
	if !ok {
		return
	}
	if sub == len(args) {
		if c.Open {
			r.doubt("arguments of git that are not known")
		}
		return
	}
	if running, ok := gitRuns(args[sub].Text); ok && (c.Open || slices.ContainsFunc(args[sub+1:], func(w Word) bool {
		return len(running) == 0 || !w.Fixed && (w.Text == "" || strings.HasPrefix(w.Text, "-")) || starts(w.Text, running)
	})) {
		r.doubt("what git " + args[sub].Text + " starts")
		r.suspects(args[sub:], c.Open)
	}
}

// subcommand returns the place of the subcommand, len(args) if there is none. It is not
// ok if an option before it is not known, or is a setting.
func (r *reader) subcommand(args []Word) (at int, ok bool) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !a.Fixed:
			r.doubt("arguments of git that are not known")
			return 0, false
		case slices.Contains([]string{"-C", "--git-dir", "--work-tree", "--namespace"}, a.Text) && (i+1 == len(args) || !args[i+1].Many):
			i++
		case strings.HasPrefix(a.Text, "-c"), starts(a.Text, []string{"--config-env", "--exec-path"}):
			r.doubt("git " + a.Text[:2] + " with a setting")
			r.text(args[i:])
			return 0, false
		case !strings.HasPrefix(a.Text, "-"):
			return i, true
		case !gitFlag(a.Text):
			r.doubt("options of git that are not known")
			r.suspects(args[i:], false)
			r.text(args[i:])
			return 0, false
		}
	}
	return len(args), true
}

// gitFlag reports whether a word is an option of git itself that is one word and names
// no program.
func gitFlag(word string) bool {
	name, _, attached := strings.Cut(word, "=")
	if attached {
		return slices.Contains([]string{"--git-dir", "--work-tree", "--namespace", "--attr-source", "--list-cmds"}, name)
	}
	return slices.Contains([]string{
		"-p", "-P", "-v", "-h", "--paginate", "--no-pager", "--version", "--help", "--bare", "--no-replace-objects", "--no-lazy-fetch",
		"--no-optional-locks", "--no-advice", "--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs",
		"--html-path", "--man-path", "--info-path",
	}, word)
}

// gitRuns returns the options with which a subcommand of git starts other commands, or
// writes a file of any name; no options mean that it does with any argument.
func gitRuns(sub string) (options []string, ok bool) {
	switch sub {
	case "bisect", "filter-branch", "filter-repo", "submodule", "submodule--helper", "config", "credential", "daemon", "mergetool", "send-email",
		"hook", "for-each-repo", "maintenance", "instaweb", "merge-index", "remote-ext", "remote-fd", "web--browse":
		return nil, true
	case "rebase":
		return []string{"-x", "--exec"}, true
	case "difftool":
		return []string{"-x", "--extcmd"}, true
	case "grep":
		return []string{"-O", "--open-files-in-pager"}, true
	case "init":
		return []string{"--template"}, true // hooks are programs
	case "clone", "fetch", "pull", "ls-remote", "fetch-pack":
		return []string{"-c", "-u", "--config", "--exec", "--template", "--upload-pack", "ext::"}, true
	case "push", "send-pack":
		return []string{"--exec", "--receive-pack", "ext::"}, true
	case "archive":
		return []string{"-o", "--exec", "--output", "--remote"}, true
	case "format-patch":
		return []string{"-o", "--ext-diff", "--output", "--output-directory"}, true
	case "diff", "diff-files", "diff-index", "diff-tree", "log", "range-diff", "reflog", "shortlog", "show", "stash", "whatchanged":
		return []string{"--ext-diff", "--output"}, true
	case "svn":
		return []string{"--authors-prog"}, true
	}
	return nil, false
}
