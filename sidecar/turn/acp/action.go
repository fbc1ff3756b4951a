package acp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// maxUses is how many paths, hosts and words of a command one action may have: it could not be judged otherwise.
const maxUses = 256

// argumentsName is the name under which agents give the arguments of a command that is one word.
const argumentsName = "args"

// The names under which agents give a tool's arguments.
var (
	commandNames = [...]string{"command", "cmd"}
	dirNames     = [...]string{"cwd", "workdir", "working_directory", "workingDirectory"}
	pathNames    = [...]string{
		"path", "paths", "file_path", "filePath", "filepath", "file_paths", "filePaths", "file", "files", "filename",
		"absolute_path", "notebook_path", "dir_path", "directory",
		"source", "destination", "old_path", "new_path", "oldPath", "newPath", "from", "to",
	}
	hostNames = [...]string{"url", "urls", "uri", "host"}
)

// uses are what an action would touch. whole is false if some of it is not in them.
type uses struct {
	action *peer.Action
	count  int
	whole  bool
}

// act reads what an agent wants to do from what is known of the tool. whole is false if there is more than can be
// judged.
func act(known fields) (a peer.Action, whole bool) {
	in := known.object("rawInput")
	a = peer.Action{
		ID: text.Cut(known.text("toolCallId"), maxName), Name: toolName(known), Title: known.text("title"),
		Kind: peer.ParseKind(known.text("kind")), Diffs: diffs(known), Dir: in.text(dirNames[:]...),
	}
	if present(known["rawInput"]) {
		a.Input = known["rawInput"]
	}
	u := uses{action: &a, whole: true}
	u.command(in)
	if !known.has("kind") { // then what it is about says it
		switch {
		case a.Command != "" || len(a.Argv) > 0:
			a.Kind = peer.Execute
		case len(a.Diffs) > 0:
			a.Kind = peer.Edit
		}
	}
	u.hosts(in)
	u.paths(in)
	u.changes(known)
	if a.Kind != peer.Execute { // those of a command are guesses; what it does is judged by the command
		for _, p := range known.list("locations") {
			u.path(object(p).text("path"))
		}
	}
	return a, u.whole
}

// command finds what is run: a line for a shell, or a list of words, with the arguments that are told apart from it. Two
// that differ are more than can be judged: nobody knows which of them the agent runs.
func (u *uses) command(in fields) {
	var found json.RawMessage
	for _, name := range commandNames {
		line := in.text(name)
		words, whole := in.texts(name, maxUses)
		u.whole = u.whole && whole
		if line == "" && len(words) == 0 {
			continue
		}
		if found != nil {
			u.whole = u.whole && bytes.Equal(found, in[name])
			continue
		}
		found = in[name]
		if line != "" {
			u.action.Command = line
		} else {
			u.action.Argv = words
		}
	}
	if found != nil {
		u.arguments(in)
	}
}

// arguments adds those of a command that has them in a member of their own. What is no single word is a line for a
// shell, and so are its arguments then.
func (u *uses) arguments(in fields) {
	args, whole := in.texts(argumentsName, maxUses)
	u.whole = u.whole && whole
	a := u.action
	switch {
	case len(args) == 0:
	case len(a.Argv) > 0:
		a.Argv = append(slices.Clone(a.Argv), args...)
	case isLine(a.Command) || in.text(argumentsName) != "":
		a.Command += " " + strings.Join(args, " ")
	default:
		a.Argv, a.Command = append([]string{a.Command}, args...), ""
	}
}

func (u *uses) hosts(in fields) {
	for _, name := range hostNames {
		all, whole := in.texts(name, maxUses)
		u.whole = u.whole && whole
		for _, host := range all {
			if path, ok := strings.CutPrefix(host, "file://"); ok {
				u.path(path)
				continue
			}
			if u.one() {
				u.action.Hosts = append(u.action.Hosts, host)
			}
		}
	}
}

func (u *uses) paths(in fields) {
	if u.action.Kind == peer.Execute {
		return
	}
	for _, name := range pathNames {
		all, whole := in.texts(name, maxUses)
		// A member of that name that is no text is none of the usual ones: it says nothing of paths.
		u.whole = u.whole && (whole || len(all) == 0)
		for _, path := range all {
			u.path(path)
		}
	}
}

// changes adds the files of the diffs, all of them.
func (u *uses) changes(known fields) {
	for _, v := range known.list("content") {
		if f := object(v); f.text("type") == "diff" {
			if path := f.text("path"); u.one() && path != "" {
				u.action.Writes = appendNew(u.action.Writes, path)
			}
		}
	}
}

// path adds a path to what is read or, unless the tool only reads, written.
func (u *uses) path(path string) {
	if path == "" || !u.one() {
		return
	}
	switch u.action.Kind {
	case peer.Read, peer.Search, peer.Fetch, peer.Think:
		u.action.Reads = appendNew(u.action.Reads, path)
	default:
		u.action.Writes = appendNew(u.action.Writes, path)
	}
}

// one counts a use and reports whether it can be one more.
func (u *uses) one() bool {
	u.count++
	u.whole = u.whole && u.count <= maxUses
	return u.whole
}

func appendNew(all []string, s string) []string {
	if slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}
