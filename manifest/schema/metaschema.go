package schema

import (
	"crypto/sha256"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// library makes the library compile the schema and reports what walk does not look
// for. The compiled schema is not kept: ten thousand of them would take 300 MiB.
func (s *check) library() {
	id := sha256.Sum256([]byte(s.src[s.root.Offset:s.root.End]))
	if s.cache.good(id) {
		return
	}
	_, err := compile(newCompiler(), s.root.Value())
	if err == nil {
		s.cache.add(id)
		return
	}
	if e, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if v, ok := errors.AsType[*jsonschema.ValidationError](e.Err); ok {
			s.meta(fragment(e.URL), v)
			return
		}
	}
	if len(s.reported) > 0 {
		return // the library stopped at a fault that has been reported
	}
	pointer, message, hint := s.describe(err)
	s.fault(s.root.Closest(pointer), s.pointer+pointer, message, hint)
}

// meta reports what the specification's own schema finds wrong with this one.
func (s *check) meta(base string, v *jsonschema.ValidationError) {
	for _, f := range flatten(v, s.root.At(base), nil) {
		pointer := base + f.Pointer
		if full := s.pointer + pointer; !s.known(full) {
			s.fault(s.root.Closest(pointer), full, "not a JSON Schema: "+f.Message, "")
		}
	}
}

// known reports whether walk has reported a place, or an item in it.
func (s *check) known(pointer string) bool {
	if s.reported[pointer] {
		return true
	}
	for p := range s.reported {
		if items, ok := strings.CutPrefix(p, pointer+"/"); ok && !strings.ContainsRune(items, '/') && strings.HasSuffix(pointer, "/type") {
			return true
		}
	}
	return false
}

// describe words an error at which the library stopped.
func (s *check) describe(err error) (pointer, message, hint string) {
	switch e := err.(type) {
	case *jsonschema.LoadURLError:
		return "", "the schema refers to " + quoted(e.URL) + ", which leaves the document", "schemas are not fetched: put it under $defs"
	case *jsonschema.InvalidRegexError:
		return fragment(e.URL), "the expression " + quoted(e.Regex) + " does not compile", ""
	case *jsonschema.JSONPointerNotFoundError:
		return "", "a reference finds nothing: " + quoted("#"+fragment(e.URL)), ""
	case *jsonschema.AnchorNotFoundError:
		return "", "a reference finds no such anchor: " + quoted(strings.TrimPrefix(e.Reference, schemaURL)), ""
	case *jsonschema.ParseIDError:
		return fragment(e.URL), "the identifier is not a URL", ""
	case *jsonschema.ParseAnchorError:
		return fragment(e.URL), "the anchor is malformed", ""
	}
	why := strings.ReplaceAll(err.Error(), schemaURL, "")
	return "", "the schema does not compile: " + text.Show(text.Cut(why, 300)), ""
}

const draftHint = `leave $schema out, or write "https://json-schema.org/draft/2020-12/schema"`

// fragment returns the JSON pointer of a location that the library gave.
func fragment(location string) string {
	_, f, _ := strings.Cut(location, "#")
	return unescapePercent(f)
}
