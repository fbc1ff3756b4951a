package subagent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/subagent"
)

func TestParse(t *testing.T) {
	many := make([]string, subagent.MaxAgents+1)
	for i := range many {
		many[i] = fmt.Sprintf(`"a%d":{"url":"http://x"}`, i)
	}
	for _, c := range []struct{ file, want string }{
		{`{"agents":{}}`, ""},
		{`{"agents":{"b":{"url":"https://b.example/x","tokenFile":"t","description":"two\nlines"},"a":{"process":true}}}`, ""},
		{`[]`, "f.json:1:1: "},
		{`{}`, `"agents" is missing; hint: write {"agents":{…}}, with an entry for each agent`},
		{`{"agents":[]}`, "must be an object, as in"},
		{`{"agents":{"":{"url":"http://x"}}}`, `"" is no name of an agent; hint: a name has 1 to 64 letters, digits, - and _`},
		{`{"agents":{"a b":{"url":"http://x"}}}`, `"a b" is no name of an agent`},
		{`{"agents":{"a":{}}}`, `"url" is missing; hint: add "url", the agent's address, or "process": true for one more process of the wrapped command`},
		{`{"agents":{"a":{"url":"ftp://x"}}}`, `url must be an address of http or https; hint: as in "https://agent.example.com"`},
		{`{"agents":{"a":{"url":"http://u:p@x"}}}`, "url has a user name in it; hint: put the token into a file"},
		{`{"agents":{"a":{"url":"http://x?y"}}}`, "url has more than a path; hint: remove what begins with ? or #"},
		{`{"agents":{"a":{"url":"http://x","tokn":"t"}}}`, `tokn`},
		{`{"agents":{"a":{"url":"http://x","tokenFile":""}}}`, "tokenFile names no file; hint: name one, or leave it out"},
		{`{"agents":{"a":{"url":"http://x","card":{"sha256":"12"}}}}`, "sha256 must be 64 hexadecimal digits"},
		{`{"agents":{"a":{"url":"http://x","card":{}}}}`, `"sha256" is missing; hint: add it, or leave card out`},
		{`{"agents":{"a":{"process":false}}}`, "must be true"},
		{`{"agents":{"a":{"process":true,"url":"http://x"}}}`, `"url" means nothing for a process; hint: remove it, or process`},
		{`{"agents":{"a":{"url":"http://x"},"a":{"url":"http://y"}}}`, "f.json:1:"},
		{`{"agents":{` + strings.Join(many, ",") + `}}`, "there are 51 agents, and a model is shown 50 at most; hint: remove some"},
	} {
		a, err := subagent.Parse(subagent.Options{})("f.json", []byte(c.file))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.file, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%.80s: %v, want %s", c.file, err, c.want)
		case err == nil && len(a.All) == 2 && (a.All[0].Name != "a" || a.All[1].Description != "two lines" || !strings.HasSuffix(a.All[1].TokenFile, "/t")):
			t.Errorf("%+v", a.All)
		}
	}
	_, err := subagent.Parse(subagent.Options{NoProcess: "there is one"})("f.json", []byte(`{"agents":{"a":{"process":true}}}`))
	if want := "there cannot be one more process: there is one; hint: change that, or remove the agent"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
