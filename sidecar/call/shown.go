package call

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// card is what every update of a call says of it: members of the toolCall object, as for the tools that
// agents have by themselves. It is made before the call is executed and does not change then.
type card struct {
	// members are the kind and the title: `,"kind":"read","title":"read a.go"`.
	members []byte
	// begins is told when the call begins: the locations and, of a command line, the terminal.
	begins once
}

// once are members of the toolCall object that are told once.
type once struct {
	Places  []peer.Place     `json:"locations,omitempty"`
	Content []driver.Content `json:"content,omitempty"`
}

// describe makes the card of a call whose arguments were read.
func (i *Invocation) describe() {
	title, main := tool.Shown(i.tool.Name), ""
	i.card.begins = once{}
	for _, u := range i.input.uses {
		if u.Pointer == "" || u.Declared || len(i.card.begins.Places) > driver.MaxPlaces {
			continue
		}
		if main == "" {
			main = i.spoken(&u)
		}
		if u.Capability == policy.FSRead || u.Capability == policy.FSWrite {
			if at := (peer.Place{Path: i.hidden(u.Value), Line: i.line(&u)}); !slices.Contains(i.card.begins.Places, at) {
				i.card.begins.Places = append(i.card.begins.Places, at)
			}
		}
	}
	if main != "" {
		title += " " + main
	}
	i.card.begins.Places = driver.ShownPlaces(i.card.begins.Places)
	if i.tool.Bridge.Kind == manifest.BridgeCore && len(i.tool.Uses.ShellRun) > 0 {
		i.card.begins.Content = []driver.Content{driver.TerminalContent(i.id)}
	}
	i.card.members = members(i.tool.Kind, driver.ShownLine(i.hidden(title)))
}

// members returns the members of every update.
func members(kind, title string) []byte {
	b := append(append([]byte(`,"kind":`), quote(kind)...), `,"title":`...)
	return append(b, quote(title)...)
}

// hidden returns a text without secrets.
func (i *Invocation) hidden(s string) string {
	clean, _ := i.secrets.Text(s)
	return clean
}

// spoken returns what a call uses in the words of a title: a path in the workspace is relative to it.
func (i *Invocation) spoken(u *policy.Use) string {
	if u.Capability != policy.FSRead && u.Capability != policy.FSWrite || i.input.scope == nil {
		return text.Line(u.Value, driver.MaxToolLine)
	}
	for _, root := range i.input.scope.Directories(manifest.VariableWorkspace) {
		if rest, ok := below.Rest(u.Value, root); ok && rest != "" {
			return filepath.FromSlash(rest)
		}
	}
	return u.Value
}

// line returns the line at which a tool that reads a part of a file begins, 0 for none: the argument
// "offset" beside the path.
func (i *Invocation) line(u *policy.Use) int {
	if i.tool.Bridge.Kind != manifest.BridgeCore || i.tool.Kind != "read" || strings.Count(u.Pointer, "/") != 1 {
		return 0
	}
	var args struct {
		Offset json.Number `json:"offset"`
	}
	if json.Unmarshal([]byte(i.args), &args) != nil {
		return 0
	}
	n, err := args.Offset.Int64()
	if err != nil || n < 1 || n > 1<<30 {
		return 0
	}
	return int(n)
}

// more adds members to a toolCall object.
func more(object json.RawMessage, m once) json.RawMessage {
	b, err := text.JSON(m)
	if err != nil || len(b) <= len("{}") {
		return object
	}
	object = append(object[:len(object)-1:len(object)-1], ',')
	return append(object, b[1:]...)
}

// changed returns the changes of files that a tool tells, as clients are told of them.
func (i *Invocation) changed(all []tool.Change) []driver.Content {
	side := func(s *string) *string {
		if s == nil {
			return nil
		}
		clean := i.hidden(*s)
		return &clean
	}
	changes := make([]driver.Change, 0, len(all))
	for _, c := range all[:min(len(all), driver.MaxDiffs)] {
		changes = append(changes, driver.Change{Path: i.hidden(c.Path), Old: side(c.Old), New: side(c.New)})
	}
	return driver.ShownChanges(changes)
}
