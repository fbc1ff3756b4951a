package profile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// A pattern that is short and repeats a lot would hold up every look at the
// screen.
func TestPatternThatRepeatsTooMuch(t *testing.T) {
	t.Parallel()
	for pattern, fault := range map[string]string{
		"(?:" + strings.Repeat("[^a]?[^b]?", 90) + "){1000}z": "repeats too much",
		"(?:.{30}){20}": "",
		"^─{10,}$":      "",
		"a{1001}":       "invalid repeat count",
	} {
		_, err := profile.Parse("mine.json", []byte(`{"name": "mine", "signs": [{"rule": "r", "state": "working", "rows": 5, "all": ["`+pattern+`"]}]}`))
		switch {
		case fault == "" && err != nil:
			t.Errorf("%.40s: %v", pattern, err)
		case fault != "" && (err == nil || !strings.Contains(err.Error(), fault)):
			t.Errorf("%.40s: %v, want %q", pattern, err, fault)
		}
	}
}

// TestPatternsThatNeedAGroup: one that does not compile is told as that.
func TestPatternsThatNeedAGroup(t *testing.T) {
	for _, where := range []string{`"prompt": {"row": %q}`, `"prompt": {"next": %q}`, `"answer": {"echo": %q}`, `"answer": {"text": %q}`, `"answer": {"body": %q}`,
		`"questions": [{"rule": "q", "kind": "permission", "choose": "number", "option": "^(?P<marker>x?)(?P<label>.*)$", "options": [{"match": "x", "kind": "other"}], "strip": %q}]`,
		`"questions": [{"rule": "q", "kind": "permission", "choose": "number", "option": %q}]`} {
		for pattern, fault := range map[string]string{`^\kx`: "does not compile", "^x": "has no group"} {
			_, err := profile.Parse("mine.json", []byte("{"+fmt.Sprintf(where, pattern)+"}"))
			if err == nil || strings.Count(err.Error(), fault) != 1 {
				t.Errorf("%s: %q: %v", where, pattern, err)
			}
		}
	}
}
