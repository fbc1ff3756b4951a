package manifest_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	s := mustParse(t, `[{"name":"acme.d","description":"d","inputSchema":{
		"type": "object", "$defs": {
			"o": {"type": "object", "properties": {"deep": {"default": [1.50, "\u00e9 x"]}, "next": {"$ref": "#/$defs/o"}}},
			"with": {"default": "by ref"}
		},
		"allOf": [{"properties": {"all": {"default": null}, "a": {"default": "not this one"}}}], "anyOf": [{"properties": {"any": {"default": 1}}}, {}],
		"properties": {
			"a": {"type": "string", "default": "x"}, "o": {"$ref": "#/$defs/o"}, "list": {"items": {"$ref": "#/$defs/o"}}, "ref": {"$ref": "#/$defs/with"},
			"made": {"properties": {"inner": {"default": true}}, "default": { "given" : 1e2 }}, "none": {"properties": {"inner": {"default": true}}}, "a\"b": {"default": {}}
		}}},
		{"name":"acme.bad","description":"d","inputSchema":{"type":"object","properties":{"n":{"type":"integer","default":"seven"}}}},
		{"name":"acme.big","description":"d","inputSchema":{"type":"object","properties":{"l":{"items":{"properties":{"x":{"default":"`+strings.Repeat("y", 1000)+`"}}}}}}},
		{"name":"acme.no","description":"d","inputSchema":{"type":"object","properties":{"default":{"type":"string"}}}}]`)
	const rest = `"ref":"by ref","made":{"given":1e2,"inner":true},"a\"b":{},"all":null}`
	for _, c := range []struct{ tool, args, want string }{
		{"acme.d", `{}`, `{"a":"x",` + rest},
		{"acme.d", ` { "a" : "\u0041", "n":1.0 } `, `{"a":"\u0041","n":1.0,` + rest},
		{"acme.d", `{"a":"","o":{"next":{}},"list":[{"deep":0},{},{"deep":7}]}`, `{"a":"","o":{"next":{"deep":[1.50,"\u00e9 x"]},"deep":[1.50,"\u00e9 x"]},"list":[{"deep":0},{"deep":[1.50,"\u00e9 x"]},{"deep":7}],` + rest},
		{"acme.d", `{"a":null,"ref":1,"made":2,"a\"b":3,"all":4}`, "!/a must be a string"},
		{"acme.d", ` {"a":"y","ref":1,"made":2,"a\"b":3,"all":4}`, "same"},
		{"acme.d", `{"a":"y","ref":1,"made":{"inner":false},"a\"b":3,"all":4,"none":{}}`, `{"a":"y","ref":1,"made":{"inner":false},"a\"b":3,"all":4,"none":{"inner":true}}`},
		{"acme.bad", `{"n":7}`, "same"},
		{"acme.bad", `{}`, "!/n must be an integer"},
		{"acme.big", `{"l":[` + strings.Repeat(`{},`, 2000) + `{}]}`, "!the defaults for it are more than 1 MiB"},
		{"acme.no", `{}`, "same"},
	} {
		read, err := s.Validate(t.Context(), c.tool, json.RawMessage(c.args))
		if err == nil {
			before := read
			if read, err = s.Complete(t.Context(), c.tool, read); c.want == "same" && err == nil {
				if read != before {
					t.Errorf("%s: nothing was missing, and it became %s", c.args, read.Text)
				}
				continue
			}
		}
		if reason, bad := strings.CutPrefix(c.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%.80s: %v, want %s", c.args, err, reason)
			}
			continue
		}
		if err != nil {
			t.Errorf("%.80s: %v", c.args, err)
		} else if read.Text != c.want {
			t.Errorf("%s is completed to\n%s; want\n%s", c.args, read.Text, c.want)
		}
	}
}
