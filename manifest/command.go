package manifest

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// command checks an exec command and stores it in e.
func (c *check) command(e *Exec, n *jsontree.Node, pointer string, input *jsontree.Node) {
	e.Command = c.Texts(n, pointer, nil)
	if n.Kind != jsontree.Array {
		return
	}
	declared := properties(input)
	e.elements = make([]template, len(e.Command))
	for i, s := range e.Command {
		e.elements[i] = parseTemplate(s, declared)
	}
	if len(e.Command) == 0 {
		c.Fault(n.Offset, pointer, "the command is empty", `as in ["/opt/acme/echo"]`)
		return
	}
	c.program(e, n, pointer)
	c.shell(e, n, pointer)
	operands := false // after "--" a value is never taken as an option
	for i := range e.elements {
		p := jsontree.Item(pointer, i)
		if strings.ContainsRune(e.Command[i], 0) {
			c.Fault(n.Children[i].Offset, p, "the element has a NUL character in it", "")
		}
		c.placeholders(e.elements[i], &n.Children[i], p, declared)
		if i > 0 && !operands && e.elements[i-1].takesValue(e.elements[i]) {
			c.dangling(e.elements[i], e.elements[i-1], &n.Children[i], p, declared)
		}
		operands = operands || e.elements[i].isLiteral("--")
	}
}

// program checks the first element: callers choose arguments, not programs.
func (c *check) program(e *Exec, n *jsontree.Node, pointer string) {
	switch first := e.elements[0]; {
	case n.Children[0].Kind != jsontree.String:
	case e.Command[0] == "":
		c.Fault(n.Children[0].Offset, jsontree.Item(pointer, 0), "the program has no name", "")
	case len(first.arguments()) > 0:
		c.Fault(n.Children[0].Offset, jsontree.Item(pointer, 0), "the program itself cannot come from an argument", "name it, and put the placeholder in a later element")
	}
}

// shell warns if an argument becomes part of a script: only quoting is then between a
// caller and the shell.
func (c *check) shell(e *Exec, n *jsontree.Node, pointer string) {
	if !slices.Contains([]string{"sh", "bash", "dash", "zsh", "ash", "ksh"}, path.Base(e.Command[0])) {
		return
	}
	for i := 2; i < len(e.elements); i++ {
		if isScript(e.Command[i-1]) && len(e.elements[i].arguments()) > 0 {
			c.Warn(n.Children[i].Offset, jsontree.Item(pointer, i), "an argument becomes part of a shell script: a caller can run anything",
				`refer to "$1" in the script and put the placeholder in an element after it`)
		}
	}
}

// isScript reports whether a shell's flag makes the next element a script.
func isScript(flag string) bool {
	return strings.HasPrefix(flag, "-") && !strings.HasPrefix(flag, "--") && strings.HasSuffix(flag, "c")
}

// placeholders checks what stands in the braces of one element.
func (c *check) placeholders(t template, n *jsontree.Node, pointer string, declared map[string]property) {
	arrays := 0
	for _, name := range t.arguments() {
		p, ok := declared[name]
		switch {
		case !ok:
			c.unknownArgument(name, n, pointer, declared)
		case p.types.has(jsontree.Object):
			c.Fault(n.Offset, pointer, "{"+text.Show(name)+"} is an object, which is no command-line argument", "read it from the JSON on stdin instead")
		case p.types.has(jsontree.Array) && (p.items.has(jsontree.Object) || p.items.has(jsontree.Array)):
			c.Fault(n.Offset, pointer, "the items of {"+text.Show(name)+"} are no command-line arguments", "read them from the JSON on stdin instead")
		case p.types == 0:
			c.Warn(n.Offset, pointer, "{"+text.Show(name)+"} has no type: a call with an object in it will be refused", "give it a type")
		}
		if p.types.has(jsontree.Array) {
			arrays++
		}
	}
	if arrays > 1 {
		c.Fault(n.Offset, pointer, "two arrays in one element", "give each an element of its own")
	}
}

func (c *check) unknownArgument(name string, n *jsontree.Node, pointer string, declared map[string]property) {
	names := slices.Sorted(maps.Keys(declared))
	hint := "add it to inputSchema.properties"
	if guess := jsontree.Nearest(name, names); guess != "" {
		hint = "write {" + text.Show(guess) + "}"
	}
	c.Fault(n.Offset, pointer, "{"+text.Show(name)+"} is not a property of inputSchema", hint)
}

// dangling refuses an element that may be dropped after a flag: the flag would then
// take the next element as its value.
func (c *check) dangling(t, flag template, n *jsontree.Node, pointer string, declared map[string]property) {
	for _, name := range t.arguments() {
		if p, ok := declared[name]; ok && !p.required {
			hint := "require it"
			if len(flag) == 1 {
				hint = "write " + quote(flag[0].text+"={"+name+"}") + " as one element, or require it"
			}
			c.Fault(n.Offset, pointer, "{"+text.Show(name)+"} is optional and follows the flag "+quote(flag.String())+", which would be left without its value", hint)
			return
		}
	}
}

// prompt checks the text of a prompt bridge.
func (c *check) prompt(n *jsontree.Node, pointer string, input *jsontree.Node) Bridge {
	b := Bridge{Kind: BridgePrompt}
	b.Prompt, _ = c.Text(n, pointer)
	if n.Kind == jsontree.String && strings.TrimSpace(b.Prompt) == "" {
		c.Fault(n.Offset, pointer, "the prompt is empty", "say what the agent shall do")
	}
	declared := properties(input)
	b.text = parseTemplate(b.Prompt, declared)
	for _, name := range b.text.arguments() {
		if _, ok := declared[name]; !ok {
			c.unknownArgument(name, n, pointer, declared)
		}
	}
	return b
}
