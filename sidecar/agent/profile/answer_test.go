package profile_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

func TestAnswerRulesAreChecked(t *testing.T) {
	for rules, want := range map[string]string{
		`{"wrap": "often"}`:                  "/answer/wrap",
		`{"echo": "^> .*$"}`:                 "/answer/echo",
		`{"text": "^• "}`:                    "/answer/text",
		`{"body": "^  .*$"}`:                 "/answer/body",
		`{"tool": ["^Ran"]}`:                 "/answer/tool",
		`{"live": [{"at": "("}]}`:            "/answer/live/0/at",
		`{"live": [{"at": "a", "to": "b"}]}`: "/answer/live/0/to",
	} {
		_, err := profile.Parse("x.json", []byte(`{"name": "x", "answer": `+rules+`}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a fault at %q", rules, err, want)
		}
	}
}
