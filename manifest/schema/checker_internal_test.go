package schema

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// sampler makes schemas and values that have something to do with each other.
type sampler struct{ *rand.Rand }

func (r sampler) pick(of ...string) string { return of[r.IntN(len(of))] }

func (r sampler) list(element func(int) string, depth, most int) string {
	all := several(1+r.IntN(most), func() string { return element(depth) })
	return "[" + strings.Join(all, ",") + "]"
}

func several(n int, f func() string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = f()
	}
	return all
}

// schema is one of a few keywords, most of them with schemas below.
func (r sampler) schema(depth int) string {
	if depth <= 0 {
		return r.pick(`true`, `{}`, `{"type":"object"}`, `{"type":["integer","array"]}`, `{"minimum":2}`, `{"const":{"a":1}}`,
			`{"enum":[1,2,"a",[1]]}`, `{"required":["a"]}`, `{"minLength":2}`, `{"pattern":"^a"}`, `{"minItems":1}`, `{"uniqueItems":true}`,
			`{"$ref":"#/$defs/x"}`, `{"$ref":"#/$defs/y"}`, `{"$ref":"#"}`, `{"$dynamicRef":"#d"}`, `false`, `{"maxProperties":1}`)
	}
	one := func() string { return r.schema(depth - 1) }
	members := map[string]string{}
	for range 1 + r.IntN(3) {
		switch key := r.pick("allOf", "anyOf", "oneOf", "not", "if", "properties", "patternProperties", "additionalProperties", "propertyNames",
			"items", "prefixItems", "contains", "unevaluatedProperties", "unevaluatedItems", "dependentSchemas", "$ref"); key {
		case "allOf", "anyOf", "oneOf", "prefixItems":
			members[key] = r.list(r.schema, depth-1, 3)
		case "if":
			members[key], members["then"], members["else"] = one(), one(), one()
		case "properties":
			members[key] = fmt.Sprintf(`{"a":%s,"b":%s}`, one(), one())
		case "patternProperties":
			members[key] = fmt.Sprintf(`{"^a":%s,"b$":%s}`, one(), one())
		case "dependentSchemas":
			members[key] = fmt.Sprintf(`{"a":%s}`, one())
		case "$ref":
			members[key] = r.pick(`"#/$defs/x"`, `"#/$defs/y"`, `"#"`)
		case "unevaluatedProperties", "unevaluatedItems":
			if r.IntN(3) == 0 {
				members[key] = one()
			}
		default:
			members[key] = one()
		}
	}
	var all []string
	for key, m := range members {
		all = append(all, fmt.Sprintf("%q:%s", key, m))
	}
	slices.Sort(all)
	return "{" + strings.Join(all, ",") + "}"
}

func (r sampler) value(depth int) string {
	if depth <= 0 {
		return r.pick("1", "2", "3.0", `"a"`, `"ab"`, `"b"`, "null", "true", "[]", "{}", `{"a":1}`, "[1]", `[1,1]`)
	}
	if r.IntN(3) == 0 {
		return r.list(r.value, depth-1, 3)
	}
	var members []string
	for _, key := range []string{"a", "b", "ab"} {
		if r.IntN(3) > 0 {
			members = append(members, fmt.Sprintf("%q:%s", key, r.value(depth-1)))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// What is counted and remembered says what the library says.
func TestCheckerAgreesWithTheLibrary(t *testing.T) {
	const seeds = 600
	remembered, unfit := 0, 0
	for seed := range uint64(seeds) {
		r := sampler{rand.New(rand.NewPCG(seed, 1))}
		dynamic := ""
		if r.IntN(8) == 0 {
			dynamic = `"$dynamicAnchor":"d",`
		}
		src := fmt.Sprintf(`{%s"allOf":[%s,%s],"$defs":{"x":%s,"y":%s}}`, dynamic, r.schema(2), r.schema(1), r.schema(2), r.schema(2))
		if dynamic == "" {
			src = strings.ReplaceAll(src, `"$dynamicRef":"#d"`, `"$ref":"#/$defs/y"`)
		}
		if r.IntN(2) == 0 {
			src = strings.ReplaceAll(src, `"unevaluated`, `"x-`)
		}
		doc, faults := jsontree.Parse(src, 0)
		if len(faults) > 0 {
			t.Fatal(src, faults)
		}
		plain, err := compile(newCompiler(), doc.Value())
		if err != nil {
			t.Fatal(src, err)
		}
		c, err := newChecker(doc.Value())
		if err != nil {
			t.Fatal(src, err)
		}
		if c.answers.given != nil {
			remembered++
		}
		for range 5 {
			text := r.value(3)
			root, _ := jsontree.Parse(text, 0)
			want, _ := errors.AsType[*jsonschema.ValidationError](plain.Validate(root.Value()))
			got := c.check(context.Background(), &root)
			if (want == nil) != (got == nil) {
				t.Fatalf("%s\n%s\nlibrary: %v\nchecker: %v", src, text, want, got)
			}
			if c.budget.ctx != nil {
				t.Fatal("the checker keeps the context of a call that has ended")
			}
			c.budget = budget{ctx: context.Background(), visits: 1e6, work: 1e6}
			if quiet, err := c.run(c.quiet, root.Value()); err != nil || (quiet == nil) != (want == nil) {
				t.Fatalf("%s\n%s\nlibrary: %v\nquietly: %v, %v", src, text, want, quiet, err)
			}
			if want == nil || strings.Contains(src, `"propertyNames"`) {
				continue // the library does not always tell the place of a name
			}
			unfit++
			if said, bad := flatten(want, &root, nil), got.(*ArgumentsError).Faults; !slices.Equal(said, bad) {
				t.Fatalf("%s\n%s\nlibrary: %v\nchecker: %v", src, text, said, bad)
			}
		}
	}
	if remembered < seeds/10 || unfit < seeds/2 {
		t.Errorf("%d schemas were remembered and %d values did not fit: too few to tell", remembered, unfit)
	}
}
