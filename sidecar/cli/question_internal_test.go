package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// What a server asks is shown to a person, not obeyed by his terminal, whoever the
// server is.
func TestQuestionIsShownNotObeyed(t *testing.T) {
	const evil = "\x1b]52;c;aGk=\a\u202e"
	data, err := json.Marshal(map[string]any{"detail": "detail" + evil, "options": []any{
		map[string]string{"id": "y" + evil, "label": "yes" + evil}, map[string]string{"id": "n", "label": "no"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	showQuestion(&shown, &a2a.Message{Parts: []a2a.Part{a2a.TextPart("sure" + evil + "?"), a2a.DataPart(data)}})
	if strings.ContainsAny(shown.String(), "\x1b\a\u202e") {
		t.Errorf("%q", shown.String())
	}
	for _, part := range []string{`sure\x1b]52;c;aGk=\x07\u202e?`, "detail", "yes", "no"} {
		if !strings.Contains(shown.String(), part) {
			t.Errorf("%s is not in %q", part, shown.String())
		}
	}
}
