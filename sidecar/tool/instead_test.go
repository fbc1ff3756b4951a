package tool_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Each name for which a tool has advice is none of its own, and what it says to write is.
func TestInsteadNamesWhatIsThere(t *testing.T) {
	write := regexp.MustCompile(`^write (\w+)`)
	advised := 0
	for _, one := range tool.All() {
		schema := string(one.Definition.InputSchema)
		for name, words := range one.Definition.Instead {
			advised++
			if pointer, ok := strings.CutPrefix(name, "/"); ok {
				if !strings.Contains(schema, `"`+pointer+`":{`) || !strings.HasPrefix(words, "must be ") {
					t.Errorf("%s: %s: %s", one.ID, name, words)
				}
				continue
			}
			property := `"` + name + `":{`
			if nested := strings.Contains(schema, `"items":{"type":"object"`); strings.Contains(schema, property) && !nested {
				t.Errorf("%s has a property %s", one.ID, name)
			}
			if to := write.FindStringSubmatch(words); to != nil && !strings.Contains(schema, `"`+to[1]+`":{`) {
				t.Errorf("%s: %s: %s, and there is none", one.ID, name, words)
			} else if to == nil && !strings.HasPrefix(words, "leave it out") {
				t.Errorf("%s: %s: %s", one.ID, name, words)
			}
		}
	}
	if advised == 0 {
		t.Error("no tool has advice")
	}
}

// What a caller is told that uses another tool's names.
func TestInsteadIsTold(t *testing.T) {
	set, err := tool.NewSet([]string{tool.Core, "background"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ id, args, want string }{
		{"web_fetch", `{"url":"example.com"}`, "invalid arguments: /url must be a whole URL of at most 8192 characters, with http:// or https://, as in https://example.com"},
		{"web_fetch", `{"url":7}`, "invalid arguments: /url must be a whole URL of at most 8192 characters, with http:// or https://, as in https://example.com"},
		{"grep", `{"pattern":"x","-i":true}`, "invalid arguments: /-i is not known; write ignore_case"},
		{"grep", `{"pattern":"x","-A":1,"-n":true,"glob":"*.go"}`, "invalid arguments: /-A is not known; write after; " +
			"/-n is not known; leave it out: output_mode content shows the numbers of lines; /glob is not known; write include"},
		{"read", `{"path":"x"}`, "invalid arguments: /file_path is required; /path is not known; write file_path"},
		{"bash", `{"command":"x","run_in_background":true}`, "invalid arguments: /run_in_background is not known; leave it out: what goes on is for the tool background, if it is offered"},
		{"question", `{"questions":[{"question":"x","options":[{"label":"a"}],"multiSelect":true}]}`, "invalid arguments: /questions/0/multiSelect is not known; write multi_select"},
		{"todo", `{"todos":[{"content":"x","status":"pending","activeForm":"x"}]}`, "invalid arguments: /todos/0/activeForm is not known; leave it out"},
		{"glob", `{"pattern":"x","patern":"x"}`, `invalid arguments: /patern is not known; did you mean "pattern"?`},
		{"glob", `{"pattern":"x","other":"x"}`, "invalid arguments: /other is not known"},
		{"glob", `{"pattern":7}`, "invalid arguments: /pattern must be a string, not a number"},
	} {
		_, err := set.Snapshot().Validate(t.Context(), tool.Prefix+c.id, json.RawMessage(c.args))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s %s:\n%v, want\n%s", c.id, c.args, err, c.want)
		}
	}
}
