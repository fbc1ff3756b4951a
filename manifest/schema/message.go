package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// describe words one failed keyword. It says what is wanted and leaves out the value:
// the caller knows the value, and it may be long or secret.
func describe(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "must be " + text.Enumerate(articles(k.Want), "or") + ", not " + article(k.Got)
	case *kind.Enum:
		return "must be one of " + values(k.Want)
	case *kind.Const:
		return "must be " + literal(k.Want)
	case *kind.Format:
		return "must be a valid " + k.Want + reason(k.Err)
	case *kind.FalseSchema:
		return "is not allowed"
	case *kind.Not:
		return "must not fit the schema under \"not\""
	case *kind.RefCycle:
		return "cannot be checked: the schema refers to itself in a circle"
	case *kind.MinProperties:
		return "must have at least " + text.CountOf(k.Want, "property", "properties")
	case *kind.MaxProperties:
		return "must have at most " + text.CountOf(k.Want, "property", "properties")
	}
	return describeSized(k)
}

// describeSized words the keywords of arrays, strings and numbers.
func describeSized(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinItems:
		return "must have at least " + text.CountOf(k.Want, "item", "items")
	case *kind.MaxItems:
		return "must have at most " + text.CountOf(k.Want, "item", "items")
	case *kind.AdditionalItems:
		return "has " + text.CountOf(k.Count, "item", "items") + " too many"
	case *kind.UniqueItems:
		return fmt.Sprintf("must not repeat an item: %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "must contain an item that fits"
	case *kind.MinContains:
		return "must contain at least " + text.CountOf(k.Want, "item that fits", "items that fit")
	case *kind.MaxContains:
		return "must contain at most " + text.CountOf(k.Want, "item that fits", "items that fit")
	case *kind.MinLength:
		return "must have at least " + text.CountOf(k.Want, "character", "characters")
	case *kind.MaxLength:
		return "must have at most " + text.CountOf(k.Want, "character", "characters")
	case *kind.Pattern:
		return "must match " + quoted(k.Want)
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want)
	}
	return "must fit its schema"
}

func articles(types []string) []string {
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = article(t)
	}
	return out
}

func article(t string) string {
	switch t {
	case "null":
		return t
	case "array", "object", "integer":
		return "an " + t
	}
	return "a " + t
}

// values lists the first dozen values of an enumeration.
func values(want []any) string {
	const most = 12
	out := make([]string, 0, most)
	for i, v := range want {
		if i == most {
			return strings.Join(out, ", ") + ", …"
		}
		out = append(out, literal(v))
	}
	return strings.Join(out, ", ")
}

// literal spells a JSON value, cut short.
func literal(v any) string {
	if s, ok := v.(string); ok {
		return quoted(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "another value"
	}
	return text.Show(text.Shorten(string(b), quotedMax))
}

// reason returns why a format refused a value, if the library's own words say more
// than the value.
func reason(err error) string {
	if err == nil || len(err.Error()) > 60 {
		return ""
	}
	return " (" + text.Show(err.Error()) + ")"
}

// decimal spells a limit as it was most likely written.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return text.Cut(r.Num().String(), 40)
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func unescapePercent(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// quotedMax bounds how much of a schema or of a value a message repeats.
const quotedMax = 80

// quoted puts foreign text in quotes and cuts it short, because messages reach logs
// and terminals.
func quoted(s string) string { return text.Quote(s, quotedMax) }
