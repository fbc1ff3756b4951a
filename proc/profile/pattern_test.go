package profile_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/profile"
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
