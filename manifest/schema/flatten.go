package schema

import (
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// flattener turns the library's tree of causes into a list that says each thing once.
type flattener struct {
	root  *jsontree.Node // the value that was checked
	known []string       // the names that an unknown property of the root may have been meant to be
	found map[ArgumentFault]bool
	added int

	// One error may be a cause of several: it is collected once, and what an
	// alternative wants is found out once.
	collected map[*jsonschema.ValidationError]bool
	wants     map[*jsonschema.ValidationError]ArgumentFault
}

// flatten returns the faults in the order of their pointers.
func flatten(v *jsonschema.ValidationError, root *jsontree.Node, known []string) []ArgumentFault {
	return flattenWith(v, root, known, map[*jsonschema.ValidationError]ArgumentFault{})
}

func flattenWith(v *jsonschema.ValidationError, root *jsontree.Node, known []string, wants map[*jsonschema.ValidationError]ArgumentFault) []ArgumentFault {
	f := flattener{root: root, known: known, found: map[ArgumentFault]bool{}, collected: map[*jsonschema.ValidationError]bool{}, wants: wants}
	f.collect(v)
	all := slices.Collect(maps.Keys(f.found))
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		return a.Pointer < b.Pointer || a.Pointer == b.Pointer && a.Message < b.Message
	})
	return all
}

// faultsKept bounds how many faults one call is told; that is enough for its caller to
// fix.
const faultsKept = 1000

func (f *flattener) add(pointer, message string) {
	f.fault(ArgumentFault{Pointer: pointer, Message: message})
}

func (f *flattener) fault(fault ArgumentFault) {
	if f.added++; len(f.found) >= faultsKept {
		return
	}
	f.found[fault] = true
}

func (f *flattener) collect(v *jsonschema.ValidationError) {
	if f.collected[v] || f.added > 4*faultsKept {
		return
	}
	f.collected[v] = true
	at := pointerOf(v.InstanceLocation)
	switch k := v.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range v.Causes {
			f.collect(cause)
		}
	case *kind.Required:
		for _, name := range k.Missing {
			f.add(jsontree.Child(at, name), "is required")
		}
	case *kind.Dependency:
		f.beside(at, k.Prop, k.Missing)
	case *kind.DependentRequired:
		f.beside(at, k.Prop, k.Missing)
	case *kind.AdditionalProperties:
		f.additional(at, k.Properties)
	case *kind.PropertyNames:
		f.add(f.place(v.InstanceLocation, k.Property), "has a name that is not allowed")
	case *kind.AnyOf:
		f.add(at, "must fit one of these: "+f.alternatives(v.Causes, at))
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			f.add(at, "must fit one alternative only, and fits more")
			return
		}
		f.add(at, "must fit one of these: "+f.alternatives(v.Causes, at))
	default:
		f.add(at, describe(v.ErrorKind))
	}
}

// notKnown is what is wrong with a property that the schema does not have.
const notKnown = "is not known"

// unknownNamed is how many unknown properties of one object are reported separately.
const unknownNamed = 20

func (f *flattener) additional(at string, names []string) {
	if len(names) > unknownNamed {
		f.add(at, "must not have properties that are not known: "+strconv.Itoa(len(names))+" of them, such as "+quoted(slices.Min(names)))
		return
	}
	for _, name := range names {
		message := notKnown
		if guess := jsontree.Nearest(name, f.known); guess != "" && at == "" {
			message += "; did you mean " + quoted(guess) + "?"
		}
		f.fault(ArgumentFault{Pointer: jsontree.Child(at, name), Message: message, Unknown: name})
	}
}

// place finds a property whose name was refused. The library's location for it has the
// right length but sometimes the wrong tokens, because it shares their memory with
// what it looks at next.
func (f *flattener) place(location []string, name string) string {
	if at := pointerOf(location); f.root.At(at).Get(name) != nil {
		return jsontree.Child(at, name)
	}
	return findMember(f.root, "", len(location), name)
}

// findMember returns the pointer of the first member called key in an object that is
// depth levels below n, "" if there is none.
func findMember(n *jsontree.Node, pointer string, depth int, key string) string {
	if depth == 0 {
		if n.Get(key) != nil {
			return jsontree.Child(pointer, key)
		}
		return ""
	}
	for i := range n.Children {
		p := jsontree.Item(pointer, i)
		if n.Kind == jsontree.Object {
			p = jsontree.Child(pointer, n.Children[i].Key)
		}
		if found := findMember(&n.Children[i], p, depth-1, key); found != "" {
			return found
		}
	}
	return ""
}

// beside reports the properties that another property requires.
func (f *flattener) beside(at, property string, missing []string) {
	for _, name := range missing {
		f.add(jsontree.Child(at, name), "is required beside "+quoted(property))
	}
}

// alternatives says what the first few branches would have wanted.
func (f *flattener) alternatives(causes []*jsonschema.ValidationError, at string) string {
	var wants []string
	for _, cause := range causes {
		first := f.first(cause)
		if first.Message == "" {
			continue
		}
		want := first.Message
		if below := strings.TrimPrefix(first.Pointer, at); below != "" {
			want = below + " " + want
		}
		if !slices.Contains(wants, want) {
			wants = append(wants, want)
		}
	}
	if len(wants) > 3 {
		return strings.Join(wants[:3], ", or ") + ", or others"
	}
	return strings.Join(wants, ", or ")
}

// first returns the first fault of an alternative. Deep nesting is cut off, because
// each level would triple the text.
func (f *flattener) first(cause *jsonschema.ValidationError) (first ArgumentFault) {
	if first, ok := f.wants[cause]; ok {
		return first
	}
	if faults := flattenWith(cause, f.root, nil, f.wants); len(faults) > 0 {
		first = faults[0]
		first.Message = text.Shorten(first.Message, wantMax)
	}
	f.wants[cause] = first
	return first
}

// wantMax bounds how much is said of one alternative.
const wantMax = 200

// pointerOf joins reference tokens to a JSON pointer.
func pointerOf(tokens []string) string {
	var p string
	for _, t := range tokens {
		p = jsontree.Child(p, t)
	}
	return p
}
