package schema

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// ArgumentsError says what is wrong with the arguments of a call. Its text is for the
// model or person that made the call.
type ArgumentsError struct {
	Faults []ArgumentFault
}

// ArgumentFault is one fault of the arguments. Pointer and Message form a sentence:
// /count must be at least 1.
type ArgumentFault struct {
	Pointer string // RFC 6901 within the arguments, "" for all of them
	Message string
	Unknown string // the name of a property that the schema does not have, "" for every other fault
}

// Hint says for unknown properties, by their names and at any depth, what to write instead, and for what a pointer is at,
// by the pointer, what it must be, in place of the schema's words.
func (e *ArgumentsError) Hint(instead map[string]string) {
	for i := range e.Faults {
		f := &e.Faults[i]
		if words := instead[f.Unknown]; f.Unknown != "" && words != "" {
			f.Message = notKnown + "; " + words
		}
		if words := instead[f.Pointer]; f.Unknown == "" && f.Pointer != "" && words != "" {
			f.Message = words
		}
	}
}

// faultsShown is how many faults the text of an error names.
const faultsShown = 8

// Error names the pointers, or only the first few if there are many.
func (e *ArgumentsError) Error() string {
	var b strings.Builder
	b.WriteString("invalid arguments: ")
	for i, f := range e.Faults {
		if i == faultsShown {
			b.WriteString(more(len(e.Faults)))
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.String())
	}
	return b.String()
}

// more says how many faults were left out.
func more(faults int) string {
	if faults >= faultsKept {
		return "; and many more"
	}
	return "; and " + strconv.Itoa(faults-faultsShown) + " more"
}

// String returns the sentence.
func (f ArgumentFault) String() string {
	if f.Pointer == "" {
		return "they " + f.Message
	}
	return text.Show(text.Shorten(f.Pointer, 2*quotedMax)) + " " + f.Message
}

// Arguments are the arguments of a call, read once. They must not be changed.
type Arguments struct {
	Root jsontree.Node
	Text string // the text to which the offsets of the nodes refer
}

// ReadArguments reads the arguments of a call, which are an object; empty arguments
// are an empty object. A key that occurs twice is refused, because two readers would
// disagree about which value counts. What is read shares memory with args, which must
// not change any more. The error is *ArgumentsError.
func ReadArguments(args json.RawMessage) (*Arguments, error) {
	if !utf8.Valid(args) {
		return nil, wholly("are not UTF-8")
	}
	src := text.Shared(args)
	if strings.Trim(src, " \t\r\n") == "" {
		return &Arguments{Root: jsontree.Node{Kind: jsontree.Object}}, nil
	}
	root, faults := jsontree.Parse(src, maxValues)
	if len(faults) > 0 {
		return nil, unreadable(src, faults)
	}
	if root.Kind != jsontree.Object {
		return nil, wholly("must be an object, not " + root.Kind.String())
	}
	return &Arguments{Root: root, Text: src}, nil
}

func wholly(message string) *ArgumentsError {
	return &ArgumentsError{Faults: []ArgumentFault{{Message: message}}}
}

// unreadable describes what the scanner found.
func unreadable(src string, faults jsontree.Faults) *ArgumentsError {
	e := &ArgumentsError{}
	for _, f := range jsontree.Locate("", src, faults) {
		e.Faults = append(e.Faults, ArgumentFault{
			Pointer: f.Pointer,
			Message: "cannot be read: " + f.Message + " (line " + strconv.Itoa(f.Line) + ", column " + strconv.Itoa(f.Column) + ")",
		})
	}
	return e
}
