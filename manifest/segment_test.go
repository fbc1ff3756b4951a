package manifest_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
)

func TestSegment(t *testing.T) {
	for native, want := range map[string]string{
		"get-sum": "get_sum", "printEnv": "print_env", "GitHub": "git_hub", "a": "a", "a__b": "a_b", "--x--": "x", "1password": "n1password",
		"API": "api", "my server": "my_server", "a.b/c": "a_b_c", "": "", "---": "", "日本": "", "é1": "n1",
	} {
		if got := manifest.Segment(native); got != want {
			t.Errorf("%q: %q, want %q", native, got, want)
		}
	}
}
