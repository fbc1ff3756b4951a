package client

import (
	"regexp"
	"strings"
	"testing"
)

func TestSegment(t *testing.T) {
	for _, c := range []struct{ native, want string }{
		{"get-sum", "get_sum"},
		{"printEnv", "print_env"},
		{"HTTPGet", "http_get"},
		{"getHTTP", "get_http"},
		{"Echo", "echo"},
		{"ECHO", "echo"},
		{"v2Read", "v2_read"},
		{"read_file", "read_file"},
		{"a/b", "a_b"},
		{"A.B", "a_b"},
		{"a.B", "a_b"},
		{"a--__b", "a_b"},
		{"_private_", "private"},
		{"résumé", "r_ue9_sum_ue9"},
		{"检索", "u68c0_u7d22"},
		{"a 😀 b", "a_u1f600_b"},
		{"a\u200bb", "a_u200b_b"},
		{"2fa", "t_2fa"},
		{"a\xffb", "a_ufffd_b"},
		{"a\x00b\n", "a_b"},
		{strings.Repeat("x", nameMax), strings.Repeat("x", nameMax)},
	} {
		if got, err := segment(c.native); got != c.want || err != nil {
			t.Errorf("%q: got %q, %v; want %q", c.native, got, err, c.want)
		}
	}
	for native, want := range map[string]string{
		"": "no letter", "---": "no letter", "_": "no letter", "!?": "no letter", strings.Repeat("x", nameMax+1): "129 bytes",
	} {
		if got, err := segment(native); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q, %v", native, got, err)
		}
	}
}

func FuzzSegment(f *testing.F) {
	for _, s := range []string{"get-sum", "printEnv", "a/b", "résumé", "2fa", "", "\xff", "HTTPGet"} {
		f.Add(s)
	}
	canonical := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	f.Fuzz(func(t *testing.T, native string) {
		s, err := segment(native)
		if err != nil {
			return
		}
		if !canonical.MatchString(s) {
			t.Fatalf("%q became %q", native, s)
		}
		if again, err := segment(s); len(s) <= nameMax && (again != s || err != nil) && !strings.Contains(s, "__") && !strings.HasSuffix(s, "_") {
			t.Fatalf("%q became %q, and that %q, %v", native, s, again, err)
		}
	})
}
