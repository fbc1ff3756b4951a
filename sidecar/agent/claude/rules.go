package claude

import (
	"fmt"
	"path"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/match"
)

// importRules turns the permissions of Claude Code's settings.json into a policy file. Deny
// and ask are carried over; what could not be is in notPossible, one line each, among it
// everything that is allowed there: an operator writes that anew. home stands for ~ in
// paths; "" if it is not known. The error says what is wrong with the file.
func importRules(name string, data []byte, home string) (file []byte, notPossible []string, err error) {
	root, faults := jsontree.ParseFile(name, data)
	if len(faults) > 0 {
		return nil, nil, faults
	}
	permissions := root.Get("permissions")
	if permissions == nil || permissions.Kind != jsontree.Object {
		return nil, nil, fmt.Errorf("%s holds no permissions: it is to be a settings.json of Claude Code", name)
	}
	c := rulesImport{home: home}
	for i := range permissions.Children {
		m := &permissions.Children[i]
		switch m.Key {
		case "deny", "ask":
			for j := range m.Children {
				c.entry(m.Key, m.Children[j].Str())
			}
		case "allow":
			for j := range m.Children {
				c.leave("allow "+m.Children[j].Str(), "what is allowed is not carried over")
			}
		default:
			c.leave(m.Key, "there is nothing like it here")
		}
	}
	return c.file(), c.left, nil
}

// rulesImport collects the rules of one file.
type rulesImport struct {
	home  string
	rules []string // JSON objects
	left  []string
}

func (c *rulesImport) leave(what, why string) {
	c.left = append(c.left, text.Shorten(text.Show(what), 200)+": "+why)
}

// add appends a rule.
func (c *rulesImport) add(action, permission, pattern, from string) {
	rule := fmt.Sprintf(`{"permission": %s`, quoteJSON(permission))
	if pattern != "" {
		rule += `, "pattern": ` + quoteJSON(pattern)
	}
	c.rules = append(c.rules, rule+fmt.Sprintf(`, "action": %s, "reason": %s}`, quoteJSON(action), quoteJSON("as in Claude Code: "+action+" "+from)))
}

func quoteJSON(s string) string {
	b, err := text.JSON(s)
	if err != nil {
		return `""`
	}
	return strings.TrimSuffix(string(b), "\n")
}

func (c *rulesImport) file() []byte {
	if len(c.rules) == 0 {
		return []byte("{\n  \"rules\": []\n}\n")
	}
	return []byte("{\n  \"rules\": [\n    " + strings.Join(c.rules, ",\n    ") + "\n  ]\n}\n")
}

// entry carries one entry over, such as Bash(git push:*).
func (c *rulesImport) entry(action, entry string) {
	tool, argument, limited := strings.Cut(entry, "(")
	argument, closed := strings.CutSuffix(argument, ")")
	if entry == "" || limited != closed {
		c.leave(action+" "+entry, "it is not an entry that is known here")
		return
	}
	if argument == "*" {
		argument = ""
	}
	switch tool {
	case "Bash":
		c.command(action, entry, argument)
	case "Read", "Grep", "Glob", "LS", "NotebookRead":
		c.path(action, entry, string(policy.FSRead), argument)
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		c.path(action, entry, string(policy.FSWrite), argument)
	case "WebFetch":
		c.host(action, entry, argument)
	default:
		c.tool(action, entry, tool, limited)
	}
}

// command carries over Bash(npm run:*), Bash(npm run *) and Bash(npm test).
func (c *rulesImport) command(action, entry, argument string) {
	pattern, rest := strings.CutSuffix(argument, ":*")
	if !rest {
		pattern, rest = strings.CutSuffix(argument, " *")
	}
	if !rest && strings.HasSuffix(argument, "*") {
		pattern, rest = argument, true // in Claude Code a star goes on over the words that follow
	}
	if strings.Contains(strings.TrimSuffix(pattern, "*"), "*") {
		c.leave(action+" "+entry, "a * inside of a command is any number of words there, and one word here: write the rule by hand")
		return
	}
	if rest {
		pattern += ":*"
	}
	if pattern != "" {
		if _, err := match.ParseCommand(pattern); err != nil {
			c.leave(action+" "+entry, err.Error())
			return
		}
	}
	c.add(action, string(policy.ShellRun), pattern, entry)
}

// path carries over a path in the syntax of .gitignore: //x is absolute, ~/x is below the
// home, and a name without a slash is meant in every directory.
func (c *rulesImport) path(action, entry, permission, argument string) {
	p := strings.TrimSuffix(strings.TrimPrefix(argument, "./"), "/")
	switch {
	case p == "" && argument == "":
		c.add(action, permission, "", entry)
		return
	case strings.HasPrefix(p, "//"):
		p = p[1:]
	case strings.HasPrefix(p, "~/") && c.home == "":
		c.leave(action+" "+entry, "the home is not known: write the directory itself")
		return
	case strings.HasPrefix(p, "~/"):
		p = path.Join(c.home, p[2:])
	case strings.Contains(p, "/") || strings.HasPrefix(argument, "./"):
		p = "{workspace}/" + strings.TrimPrefix(p, "/")
	default:
		p = "{workspace}/**/" + p
	}
	patterns := []string{strings.TrimSuffix(p, "/")}
	if !strings.HasSuffix(p, "**") {
		patterns = append(patterns, patterns[0]+"/**") // a directory means what is below it
	}
	for _, pattern := range patterns {
		if _, err := match.ParsePath(pattern); err != nil {
			c.leave(action+" "+entry, err.Error())
			return
		}
	}
	for _, pattern := range patterns {
		c.add(action, permission, pattern, entry)
	}
}

func (c *rulesImport) host(action, entry, argument string) {
	host, named := strings.CutPrefix(argument, "domain:")
	switch _, err := match.ParseHost(host); {
	case argument == "":
		host = ""
	case !named:
		c.leave(action+" "+entry, "only domain:NAME is known here")
		return
	case err != nil:
		c.leave(action+" "+entry, err.Error())
		return
	}
	c.add(action, string(policy.NetFetch), host, entry)
}

// tool carries over mcp__SERVER__TOOL and mcp__SERVER.
func (c *rulesImport) tool(action, entry, name string, limited bool) {
	rest, isMCP := strings.CutPrefix(name, "mcp__")
	if !isMCP || limited {
		c.leave(action+" "+entry, "there is no such tool here")
		return
	}
	server, tool, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(rest, "-", "_")), "__")
	id := server + "." + tool
	if tool == "" || tool == "*" {
		id = server + ".*"
	}
	if !policy.IsName(strings.TrimSuffix(id, ".*")) {
		c.leave(action+" "+entry, "its name cannot be that of a tool here")
		return
	}
	c.add(action, id, "", entry)
}
