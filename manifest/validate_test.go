package manifest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

const validateSchema = `{
	"type": "object", "required": ["value"], "additionalProperties": false, "maxProperties": 12,
	"propertyNames": {"maxLength": 12},
	"dependentRequired": {"card": ["owner"]},
	"properties": {
		"value": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
		"count": {"type": "integer", "minimum": 1, "exclusiveMaximum": 10, "multipleOf": 2},
		"level": {"enum": ["low", "high", 3, null]},
		"fixed": {"const": "x"},
		"mail": {"type": "string", "format": "email"},
		"when": {"format": "date-time"},
		"tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3, "uniqueItems": true},
		"either": {"anyOf": [{"type": "integer"}, {"type": "string", "minLength": 3}]},
		"one": {"oneOf": [{"type": "integer"}, {"minimum": 3}]},
		"deep": {"$ref": "#/$defs/deep"},
		"big": {"const": 9007199254740993},
		"card": {"type": "string"}, "owner": {"type": "string"},
		"names": {"propertyNames": {"pattern": "^[a-z]+$"}, "properties": {"aa": {}, "bb": {}, "cc": {}}},
		"never": false
	},
	"$defs": {"deep": {"type": "object", "required": ["a/b"], "properties": {"next": {"$ref": "#/$defs/deep"}}}}
}`

// validate checks the arguments of a call.
func validate(ctx context.Context, s *manifest.Snapshot, tool string, args json.RawMessage) error {
	_, err := s.Validate(ctx, tool, args)
	return err
}

func TestValidate(t *testing.T) {
	s := mustParse(t, `[{"name":"acme.v","description":"d","inputSchema":`+validateSchema+`}]`)
	const ok = ""
	for _, tc := range []struct{ args, want string }{
		{`{"value":"abc"}`, ok},
		{` {"value":"abc","count":4,"level":null,"mail":"a@b.example","when":"2025-01-02T03:04:05Z","tags":["a"]} `, ok},
		{`{"value":"abc","count":4.0}`, ok},
		{`{"value":"abc","big":9007199254740993}`, ok},

		{``, "/value is required"},
		{`{}`, "/value is required"},
		{`{"value":"abc","big":9007199254740992}`, "/big must be 9007199254740993"},
		{`{"value":7}`, "/value must be a string, not a number"},
		{`{"value":"a"}`, "/value must have at least 2 characters"},
		{`{"value":"abcdef"}`, "/value must have at most 5 characters"},
		{`{"value":"ABC"}`, `/value must match "^[a-z]+$"`},
		{`{"value":"abc","valeu":1}`, `/valeu is not known; did you mean "value"?`},
		{`{"value":"abc","count":0}`, "/count must be at least 1"},
		{`{"value":"abc","count":10}`, "/count must be less than 10"},
		{`{"value":"abc","count":3}`, "/count must be a multiple of 2"},
		{`{"value":"abc","count":"4"}`, "/count must be an integer, not a string"},
		{`{"value":"abc","level":"mid"}`, `/level must be one of "low", "high", 3, null`},
		{`{"value":"abc","fixed":"y"}`, `/fixed must be "x"`},
		{`{"value":"abc","mail":"nobody"}`, "/mail must be a valid email"},
		{`{"value":"abc","when":"yesterday"}`, "/when must be a valid date-time"},
		{`{"value":"abc","tags":[]}`, "/tags must have at least 1 item"},
		{`{"value":"abc","tags":["a",2]}`, "/tags/1 must be a string, not a number"},
		{`{"value":"abc","tags":["a","b","a"]}`, "/tags must not repeat an item: 0 and 2 are equal"},
		{`{"value":"abc","either":"x"}`, "/either must fit one of these: must be an integer, not a string, or must have at least 3 characters"},
		{`{"value":"abc","one":5}`, "/one must fit one alternative only"},
		{`{"value":"abc","deep":{"a/b":1,"next":{}}}`, "/deep/next/a~1b is required"},
		{`{"value":"abc","card":"c"}`, `/owner is required beside "card"`},
		{`{"value":"abc","never":1}`, "/never is not allowed"},
		{`{"value":"abc","names":{"aa":1,"bb":2,"X1":3,"cc":4}}`, "/names/X1 has a name that is not allowed"},
		{`{"value":"abc","` + strings.Repeat("k", 400) + `":1}`, " is not known"},

		{`[1]`, "they must be an object, not an array"},
		{`null`, "they must be an object, not null"},
		{`{"value":"abc"} {}`, "something follows the end"},
		{`{"value":"a","value":"abc"}`, "/value cannot be read: the key \"value\" is here twice (line 1, column 14)"},
		{`{"count":1e999999999}`, "/count cannot be read: a number out of range"},
		{`{"value":"\ud800"}`, "half a surrogate pair"},
		{"{\"value\":\"\xff\"}", "they are not UTF-8"},
		{strings.Repeat(`{"deep":`, 10000), "nested deeper than 256 levels"},
	} {
		err := validate(context.Background(), s, "acme.v", json.RawMessage(tc.args))
		if tc.want == ok {
			if err != nil {
				t.Errorf("%s: %v", tc.args, err)
			}
			continue
		}
		var bad *schema.ArgumentsError
		if !errors.As(err, &bad) {
			t.Errorf("%.100s: error is %T (%v)", tc.args, err, err)
			continue
		}
		if !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%.100s:\n got %v\nwant %s", tc.args, err, tc.want)
		}
		if len(err.Error()) > 1000 {
			t.Errorf("%.100s: the error has %d bytes", tc.args, len(err.Error()))
		}
	}
}

// Everything that is wrong is said in one answer, in the same words each time,
// and a hundred faults do not make a hundred sentences.
func TestValidateAllAtOnce(t *testing.T) {
	s := mustParse(t, `[{"name":"acme.v","description":"d","inputSchema":`+validateSchema+`}]`)
	args := json.RawMessage(`{"count":0,"fixed":1,"tags":"t","zzz":1,"names":{"A":1,"B":2,"C":3}}`)
	want := validate(context.Background(), s, "acme.v", args).Error()
	if got := strings.Count(want, ";"); got != 7 {
		t.Errorf("%d faults, want 8: %s", got+1, want)
	}
	for range 50 {
		if got := validate(context.Background(), s, "acme.v", args).Error(); got != want {
			t.Fatalf("said\n%s\nand then\n%s", want, got)
		}
	}
	err := validate(context.Background(), s, "acme.v", object(`"value":"abc"`, 15, `"k%d":1`))
	wantArguments(t, err, "; and 8 more")
	if bad := new(schema.ArgumentsError); errors.As(err, &bad) && len(bad.Faults) != 16 {
		t.Errorf("%d faults, want all 16", len(bad.Faults))
	}
}

// object has a member, and n more of a pattern.
func object(member string, n int, pattern string) json.RawMessage {
	b := []byte("{" + member)
	for i := range n {
		b = fmt.Appendf(append(b, ','), pattern, i)
	}
	return append(b, '}')
}

// A body full of faults gets a short answer, soon.
func TestValidateFlood(t *testing.T) {
	s := mustParse(t, `[{"name":"acme.v","description":"d","inputSchema":`+validateSchema+`}]`)
	list := func(n int) json.RawMessage {
		return json.RawMessage(`{"value":"abc","tags":[` + strings.Repeat(`0,`, n-1) + `0]}`)
	}
	for want, args := range map[string]json.RawMessage{
		`properties that are not known: 20000 of them, such as "k0"`: object(`"value":"abc"`, 20_000, `"k%d":1`),
		"; and many more":               list(20_000),
		"are too complex to say where":  list(45_000),
		"too complex: more than 50000 ": list(100_000),
		"/a cannot be read: the key":    object(`"a":1`, 50_000, `"a":%d`),
		"/value must have at most":      json.RawMessage(`{"value":"` + strings.Repeat("a", 1<<20) + `"}`),
		"/level must be one of":         json.RawMessage(`{"value":"abc","level":"` + strings.Repeat("a", 1<<20) + `"}`),
		"must be a valid date-time":     json.RawMessage(`{"value":"abc","when":"` + strings.Repeat("2", 1<<20) + `"}`),
	} {
		err := validate(context.Background(), s, "acme.v", args)
		wantArguments(t, err, want)
		if len(err.Error()) > 2000 {
			t.Errorf("an answer of %d bytes", len(err.Error()))
		}
	}
}

func TestValidateUnknownTool(t *testing.T) {
	s := mustParse(t, `[]`)
	if err := validate(context.Background(), s, "acme.nope", nil); !errors.Is(err, manifest.ErrUnknownTool) {
		t.Errorf("error is %v", err)
	}
}

// A schema that refers to itself in a circle ends in an answer.
func TestValidateCircle(t *testing.T) {
	s := mustParse(t, `[{"name":"acme.c","description":"d","inputSchema":{"type":"object","$ref":"#"}}]`)
	wantArguments(t, validate(context.Background(), s, "acme.c", nil), "circle")
}

// More tools than validators are kept, called at once: each call is judged by
// its own tool's schema.
func TestValidateManyTools(t *testing.T) {
	const tools = 300
	var src strings.Builder
	for i := range tools {
		fmt.Fprintf(&src, `,{"name":"acme.t%d","description":"d","inputSchema":{"type":"object","properties":{"n":{"const":%d}}}}`, i, i)
	}
	s := mustParse(t, "["+src.String()[1:]+"]")
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range tools {
				name := fmt.Sprintf("acme.t%d", (i+w*70)%tools)
				n := (i + w*70) % tools
				if err := validate(context.Background(), s, name, fmt.Appendf(nil, `{"n":%d}`, n)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if err := validate(context.Background(), s, name, fmt.Appendf(nil, `{"n":%d}`, n+1)); err == nil {
					t.Errorf("%s took another tool's arguments", name)
				}
			}
		})
	}
	wg.Wait()
}
