package cli

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"
)

// pages are the topics of help, one file each.
//
//go:embed help/*.md
var pages embed.FS

// topic is a page of help that is not about a single command.
type topic struct{ name, short string }

// topics returns the topics, in the order of the list.
func topics() []topic {
	return []topic{
		{"drivers", "the modes: how an agent is spoken to, and what differs"},
		{"terminal", "agents at a terminal: messages, answers, watching, profiles"},
		{"tools", "the manifest, bridges, and how a call ends"},
		{"mcp", "MCP: servers' tools brought in, and our tools for agents and callers"},
		{"agents", "other agents: giving them work, its limits and budgets"},
		{"skills", "folders of instructions that models load when they need them"},
		{"policy", "which tool calls may run, and which rule decides"},
		{"approvals", "calls that wait for a yes: who is asked, how it is answered, what it is worth"},
		{"govern", "an agent that has no tools but the sidecar's, and what that is worth"},
		{"sandbox", "what a tool's program can use, and what holds it"},
		{"callers", "tokens, certificates, and what each caller may hold"},
		{"push", "notifications to the addresses that clients name"},
		{"safety", "what is guarded, and what is not"},
		{"watchdog", "your own program that judges each tool call"},
		{"audit", "the record of tool calls, and what it proves"},
		{"operations", "signals, exit codes, restarts, logs and metrics"},
		{"channel", "how a wrapped program talks back"},
		{"extensions", "the agent card, and extensions of A2A"},
		{"a2a", "the endpoints, and what is not there"},
		{"settings", "every flag, variable and key, with its default"},
	}
}

// writeTopic prints a topic and reports whether there is one of that name.
func writeTopic(w io.Writer, name string) bool {
	if !slices.Contains(topicNames(), name) {
		return false
	}
	page, err := pages.ReadFile("help/" + name + ".md")
	if err != nil {
		return false
	}
	io.WriteString(w, plain(string(page)))
	return true
}

// listTopics returns the lines of topics in the root's help.
func listTopics() string {
	var lines []string
	for _, t := range topics() {
		lines = append(lines, fmt.Sprintf("%-13s %s", t.name, t.short))
	}
	return strings.Join(lines, "\n")
}

func topicNames() []string {
	var names []string
	for _, t := range topics() {
		names = append(names, t.name)
	}
	return names
}
