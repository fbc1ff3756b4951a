package manifest_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
)

func TestSegment(t *testing.T) {
	for native, want := range map[string]string{
		"get-sum": "get_sum", "printEnv": "print_env", "HTTPGet": "http_get", "GitHub": "git_hub", "a": "a", "a__b": "a_b", "--x--": "x",
		"1password": "t_1password", "API": "api", "my server": "my_server", "a.b/c": "a_b_c", "": "", "---": "", "é": "ue9", "aéb": "a_ue9_b",
	} {
		if got := manifest.Segment(native); got != want {
			t.Errorf("%q: %q, want %q", native, got, want)
		}
	}
}
