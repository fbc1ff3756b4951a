package manifest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// Limits that operating systems set for a command line.
const (
	maxElement = 128 << 10 // bytes, the final NUL included
	maxArgv    = 1 << 20   // bytes in all
)

// Exec runs a program in the image: it gets the arguments as JSON on stdin, and its
// stdout is the result.
type Exec struct {
	// Command is the program and its arguments as written, with placeholders. Expand it
	// with Argv.
	Command []string
	// Output is "text", "json" or ""; "" means JSON if the output parses.
	Output string
	// Env names the variables that the program gets in addition to the standard ones.
	Env []string
	// Cwd is relative to the workspace unless it is absolute; "" means the workspace
	// itself.
	Cwd string

	elements []template // Command, parsed with what the schema declares
}

// Argv returns the command with the arguments filled in. The error is *ArgumentsError.
//
// {name} inside an element stands for the argument of that name. An element with an
// absent (or null) argument is dropped as a whole. Numbers and booleans become their
// JSON text; an array gives one element for each of its items. A value cannot begin an
// element with "-" unless an earlier element is "--", and cannot contain NUL. An
// element stays under 128 KiB.
func (e *Exec) Argv(args *schema.Arguments) ([]string, error) {
	x := expansion{args: &args.Root}
	for i, t := range e.templates() {
		x.element(t, i > 0 && !x.operands && e.elementAt(i-1).takesValue(t))
		x.operands = x.operands || t.isLiteral("--")
	}
	if x.bytes > maxArgv {
		x.fault("", "are too long for a command line: more than 1 MiB")
	}
	if len(x.faults) > 0 {
		return nil, &schema.ArgumentsError{Faults: x.faults}
	}
	return x.argv, nil
}

// Fixed reports whether the command is the same for every call: it has no placeholder.
func (e *Exec) Fixed() bool {
	return !slices.ContainsFunc(e.templates(), func(t template) bool { return len(t.arguments()) > 0 })
}

// templates returns the templates that were checked at load. For an Exec made by hand
// it parses Command, without a schema.
func (e *Exec) templates() []template {
	if e.elements != nil {
		return e.elements
	}
	out := make([]template, len(e.Command))
	for i := range e.Command {
		out[i] = e.elementAt(i)
	}
	return out
}

func (e *Exec) elementAt(i int) template {
	if e.elements != nil {
		return e.elements[i]
	}
	return parseTemplate(e.Command[i], nil)
}

// expansion is one command line while it is built.
type expansion struct {
	args     *jsontree.Node
	argv     []string
	bytes    int
	operands bool // there was a "--"
	faults   []schema.ArgumentFault
}

func (x *expansion) fault(pointer, message string) {
	if f := (schema.ArgumentFault{Pointer: pointer, Message: message}); !slices.Contains(x.faults, f) {
		x.faults = append(x.faults, f)
	}
}

// element adds what one template stands for: nothing, one element, or one for each
// item of an array.
func (x *expansion) element(t template, afterFlag bool) {
	values := make(map[string]string, len(t))
	var array *jsontree.Node
	for _, name := range t.arguments() {
		v := x.args.Get(name)
		switch {
		case v == nil || v.Kind == jsontree.Null || v.Kind == jsontree.Array && len(v.Children) == 0:
			if afterFlag {
				x.fault(jsontree.Child("", name), "must not be null or empty: it is the value of a flag")
			}
			return
		case v.Kind == jsontree.Object:
			x.fault(jsontree.Child("", name), "must not be an object: it goes on a command line")
			return
		case v.Kind == jsontree.Array && array != nil:
			x.fault(jsontree.Child("", name), "must not be an array beside another one in the same element")
			return
		case v.Kind == jsontree.Array:
			array = v
			values[name] = ""
		default:
			values[name] = v.Text
		}
	}
	if array == nil {
		x.add(t, values, "")
		return
	}
	for i := range array.Children {
		pointer := jsontree.Item(jsontree.Child("", array.Key), i)
		switch v := &array.Children[i]; v.Kind {
		case jsontree.String, jsontree.Number, jsontree.Bool:
			values[array.Key] = v.Text
			x.add(t, values, pointer)
		default:
			x.fault(pointer, "must be a string, a number or a boolean: it goes on a command line")
		}
	}
}

// add checks one finished element and appends it. pointer is the JSON pointer of the
// array's item in it, if there is one.
func (x *expansion) add(t template, values map[string]string, pointer string) {
	element, before := "", len(x.faults) // an element that is one argument is not copied
	for _, p := range t {
		if !p.argument {
			element += p.text
			continue
		}
		at, v := jsontree.Child("", p.text), values[p.text]
		if x.args.Get(p.text).Kind == jsontree.Array {
			at = pointer
		}
		switch {
		case strings.ContainsRune(v, 0):
			x.fault(at, "must not contain a NUL character")
		case !x.operands && strings.HasPrefix(v, "-") && dashes(element):
			x.fault(at, `must not begin with "-": it would be taken for a flag`)
		case len(element)+len(v) >= maxElement:
			x.fault(at, "is too long for a command line: "+strconv.Itoa(len(v))+" bytes, and 128 KiB is too many")
		}
		if len(x.faults) > before {
			return
		}
		element += v
	}
	x.argv = append(x.argv, element)
	x.bytes += len(element) + 1
}

// dashes reports whether a value after s is still at the beginning of the element:
// after nothing, or after the dash or two of an option.
func dashes(s string) bool { return s == "" || s == "-" || s == "--" }

// PromptText returns the prompt bridge's text with the arguments filled in: strings as
// they are, other values as compact JSON, an absent argument as nothing.
func (t *Tool) PromptText(args *schema.Arguments) string {
	text := t.Bridge.text
	if text == nil {
		text = parseTemplate(t.Bridge.Prompt, nil)
	}
	var b strings.Builder
	for _, p := range text {
		switch v := args.Root.Get(p.text); {
		case !p.argument:
			b.WriteString(p.text)
		case v == nil || v.Kind == jsontree.Null:
		case v.Kind == jsontree.Array || v.Kind == jsontree.Object:
			b.Write(compact(nil, args.Text[v.Offset:v.End]))
		default:
			b.WriteString(v.Text)
		}
	}
	return b.String()
}
