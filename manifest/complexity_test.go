package manifest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// terms is a tool whose schema asks two alternatives about each level.
const terms = `{"type":"object","properties":{"n":{"$ref":"#/$defs/t"}},"$defs":{"t":{"oneOf":[
	{"type":"object","required":["op","operand"],"properties":{"op":{"const":"x"},"operand":{"$ref":"#/$defs/t"}}},
	{"type":"object","required":["op","operand"],"properties":{"op":{"const":"y"},"operand":{"$ref":"#/$defs/t"}}},
	{"type":"integer"}]}}}`

// onItsWay is the same where only the way to it decides what it is: no answer
// can be kept.
const onItsWay = `{"type":"object","properties":{"n":{"$ref":"#/$defs/t"}},"$defs":{"t":{"$dynamicAnchor":"t","oneOf":[
	{"type":"object","required":["op","operand"],"properties":{"op":{"const":"x"},"operand":{"$dynamicRef":"#t"}}},
	{"type":"object","required":["op","operand"],"properties":{"op":{"const":"y"},"operand":{"$dynamicRef":"#t"}}},
	{"type":"integer"}]}}}`

func term(op string, levels int) json.RawMessage {
	return json.RawMessage(`{"n":` + strings.Repeat(`{"op":"`+op+`","operand":`, levels) + "1" + strings.Repeat("}", levels) + "}")
}

func oneTool(t testing.TB, schema string) *manifest.Snapshot {
	t.Helper()
	return mustParse(t, `[{"name":"acme.v","description":"d","inputSchema":`+schema+`}]`)
}

// What a short call makes the library look at doubles with each level.
func TestValidateRecursion(t *testing.T) {
	s := oneTool(t, terms)
	if err := validate(context.Background(), s, "acme.v", term("x", 100)); err != nil {
		t.Errorf("a good one: %v", err)
	}
	wantArguments(t, validate(context.Background(), s, "acme.v", term("z", 20)), `/n must fit one of these: /op must be "x", or /op must be "y"`)
	wantArguments(t, validate(context.Background(), oneTool(t, onItsWay), "acme.v", term("z", 40)), "do not fit the schema, and are too complex to say where")
}

// Nor do alternatives of one value, an expression, or equal items cost more than
// a call may.
func TestValidateIsBounded(t *testing.T) {
	chain := func(keyword string) string {
		var b strings.Builder
		for i := range 60 {
			fmt.Fprintf(&b, `"a%d":{%q:[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, keyword, i+1, i+1)
		}
		return `{"type":"object","properties":{"s":{"$ref":"#/$defs/a0"}},"$defs":{` + b.String() + `"a60":{"minLength":2}}}`
	}
	for name, c := range map[string]struct{ schema, args, want string }{
		"a chain that fits":         {chain("allOf"), `{"s":"ab"}`, ""},
		"a chain that does not fit": {chain("allOf"), `{"s":"a"}`, "at least 2"},
		"a chain of one of two":     {chain("oneOf"), `{"s":"ab"}`, "must fit one of these"},
		"an expression": {
			`{"type":"object","properties":{"s":{"pattern":"^([a-z]{0,200}x){0,5}$"}}}`, `{"s":"` + strings.Repeat("a", 4<<20) + `"}`, "too complex to be checked",
		},
		"a long string": {
			`{"type":"object","properties":{"s":{"allOf":[` + strings.Repeat(`{"minLength":1},`, 500) + `{}]}}}`, `{"s":"` + strings.Repeat("a", 4<<20) + `"}`, "too complex to be checked",
		},
		"an expression as a value": {
			`{"type":"object","properties":{"s":{"format":"regex"}}}`, `{"s":"` + strings.Repeat("x{1000}", 3000) + `"}`, "",
		},
		"equal items in equal items": {
			`{"type":"object","properties":{"s":{"$ref":"#/$defs/l"}},"$defs":{"l":{"uniqueItems":true,"items":{"$ref":"#/$defs/l"}}}}`,
			`{"s":` + strings.Repeat("["+items(30), 200) + "0" + strings.Repeat("]", 200) + "}", "too complex to be checked",
		},
		"as much work as a call may make": {
			`{"type":"object","properties":{"s":{"items":{"enum":[` + strings.Repeat("0.5,", 60) + `1]}}}}`, `{"s":[` + strings.Repeat("1,", 10_000) + "1]}", "",
		},
		"a bit more": {
			`{"type":"object","properties":{"s":{"items":{"enum":[` + strings.Repeat("0.5,", 200) + `1]}}}}`, `{"s":[` + strings.Repeat("1,", 10_000) + "1]}", "too complex to be checked",
		},
		"as many visits as a call may make": {alternatives(4), `{"s":[` + strings.Repeat("1,", 15_000) + "1]}", ""},
		"twice as many":                     {alternatives(16), `{"s":[` + strings.Repeat("1,", 15_000) + "1]}", "too complex to be checked"},
		"many constants": {
			`{"type":"object","properties":{"s":{"items":{"enum":[` + strings.Repeat("0.5,", 4000) + `1]}}}}`,
			`{"s":[` + strings.Repeat("1,", 10_000) + "1]}", "too complex to be checked",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := validate(context.Background(), oneTool(t, c.schema), "acme.v", json.RawMessage(c.args))
			if c.want != "" {
				wantArguments(t, err, c.want)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// items are some that are not equal.
func items(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d.5,", i)
	}
	return b.String()
}

// alternatives is a tool that asks so many schemas about each item.
func alternatives(n int) string {
	return `{"type":"object","properties":{"s":{"items":{"oneOf":[` + strings.Repeat(`{"type":"string"},`, n-1) + `{"type":"integer"}]}}}}`
}

// Four at once take less than 64 MiB, whatever they are.
func TestValidateMemory(t *testing.T) {
	bad := json.RawMessage(`{"n":[` + strings.Repeat(`{"op":1},`, 20_000) + `1]}`)
	for name, c := range map[string]struct {
		schema string
		args   json.RawMessage
	}{
		"an expression as a value": {
			`{"type":"object","properties":{"s":{"format":"regex","maxLength":1}}}`, json.RawMessage(`{"s":"` + strings.Repeat("x{1000}", 3000) + `"}`),
		},
		"439 bytes":  {terms, append(term("zzz", 18), strings.Repeat(" ", 439-len(term("zzz", 18)))...)},
		"no answers": {onItsWay, term("z", 30)},
		"many":       {`{"type":"object","properties":{"n":{"items":{"oneOf":[{"type":"integer"},{"required":["a","b"]},{"required":["c"]}]}}}}`, bad},
	} {
		t.Run(name, func(t *testing.T) {
			s := oneTool(t, c.schema)
			four := func() {
				var calls sync.WaitGroup
				for range 4 {
					calls.Go(func() {
						if err := validate(context.Background(), s, "acme.v", c.args); !errors.As(err, new(*schema.ArgumentsError)) {
							t.Errorf("error is %v", err)
						}
					})
				}
				calls.Wait()
			}
			least := uint64(math.MaxUint64)
			for try := 0; try < 3 && least > 64<<20; try++ { // on a busy machine the collector may be late
				before := peak(func() {})
				least = min(least, max(peak(four), before)-before)
			}
			t.Logf("%d bytes: %.1f MiB", len(c.args), float64(least)/(1<<20))
			if least > 64<<20 {
				t.Errorf("they took %d MiB", least>>20)
			}
		})
	}
}

// Whoever cancels does not wait for it, in the middle of it or before.
func TestValidateEndsWithItsContext(t *testing.T) {
	s := oneTool(t, onItsWay)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	late := &lateContext{Context: ctx, cancel: func() { cancel(why) }, after: 10}
	if err := validate(late, s, "acme.v", term("z", 40)); !errors.Is(err, why) {
		t.Errorf("error is %v", err)
	}
	if err := validate(ctx, s, "acme.v", term("x", 1)); !errors.Is(err, why) {
		t.Errorf("error is %v", err)
	}
}

// lateContext ends when it was asked so often.
type lateContext struct {
	context.Context
	cancel func()
	after  int
}

func (c *lateContext) Err() error {
	if c.after--; c.after == 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// A schema that would take minutes or hundreds of megabytes to compile is a
// fault like any other, with its place.
func TestLoadIsBounded(t *testing.T) {
	for name, schema := range map[string]string{
		"many":        `"allOf":[` + strings.Repeat("{},", 80_000) + `{}]`,
		"deep":        `"allOf":[` + strings.Repeat(strings.Repeat(`{"not":`, 230)+"{}"+strings.Repeat("}", 230)+",", 100) + `{}]`,
		"expressions": `"properties":{"a":{"pattern":"` + strings.Repeat("x{1000}", 3000) + `"}}`,
		"names":       `"patternProperties":{"` + strings.Repeat("x{1000}", 3000) + `":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			top := peak(func() {
				_, _, err := manifest.Parse("tools.json", []byte(`[{"name":"acme.v","description":"d","inputSchema":{"type":"object",`+schema+`}}]`), manifest.Options{})
				if err == nil || strings.Count(err.Error(), "too complex") != 1 || !strings.HasPrefix(err.Error(), "tools.json:1:") {
					t.Errorf("error is %.300v", err)
				}
			})
			if top > 64<<20 {
				t.Errorf("it took %d MiB", top>>20)
			}
		})
	}
}

// What may be compiled is bounded by its weight: of subschemas, of how deep they lie,
// and of what has a name of its own.
func TestLoadWeighs(t *testing.T) {
	const heavy = "it has the weight of more than 5000 subschemas"
	named := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"$id":"urn:x:%d"},`, i)
		}
		return b.String()
	}
	deep := strings.Repeat(`{"not":`, 80) + "{}" + strings.Repeat("}", 80) + ","
	for name, c := range map[string]struct {
		schema string
		heavy  bool
	}{
		"few":              {strings.Repeat("{},", 4_000), false},
		"more":             {strings.Repeat("{},", 6_000), true},
		"a few deep ones":  {strings.Repeat(deep, 9), false},
		"more deep ones":   {strings.Repeat(deep, 14), true},
		"a few with names": {named(800), false},
		"more with names":  {named(1_200), true},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := manifest.Parse("tools.json", []byte(`[{"name":"acme.v","description":"d","inputSchema":{"type":"object","allOf":[`+c.schema+`{}]}}]`), manifest.Options{})
			if (err != nil) != c.heavy || err != nil && !strings.Contains(err.Error(), heavy) {
				t.Errorf("error is %.300v", err)
			}
		})
	}
}

// BenchmarkRecursion: a short call that a schema with alternatives refuses.
func BenchmarkRecursion(b *testing.B) {
	s, args := oneTool(b, terms), term("zzz", 20)
	for b.Loop() {
		if validate(context.Background(), s, "acme.v", args) == nil {
			b.Fatal("it fits")
		}
	}
}
