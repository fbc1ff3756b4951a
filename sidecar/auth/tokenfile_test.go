package auth_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/sidecar/auth"
)

const (
	aliceToken = "alice-0123456789abcdef"
	bobToken   = "bob-0123456789abcdef"
)

func TestParseTokens(t *testing.T) {
	got, err := auth.ParseTokens([]byte("\xef\xbb\xbf# who may call\n\nalice:" + aliceToken + "\r\n  bob.b_1-x : " + "\nbob:" + bobToken))
	if err == nil || !strings.Contains(err.Error(), "line 4: the name before the colon") {
		t.Errorf("a bad line among good ones: %v", err)
	}
	want := []auth.Token{{Name: "alice", Value: aliceToken}, {Name: "bob", Value: bobToken}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	long := strings.Repeat("x", 64)
	got, err = auth.ParseTokens([]byte("alice:" + aliceToken + "\nalice:" + aliceToken + ":more\n" + long + ":" + bobToken + "\n"))
	if err != nil || len(got) != 3 || got[1].Value != aliceToken+":more" {
		t.Errorf("two tokens of one name, one with a colon: %v %v", got, err)
	}
}

// Every fault is told with its line, and none of them tells a token.
func TestTokenFaults(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"empty":         {"", "holds no token"},
		"only comments": {"# nobody\n\n", "holds no token"},
		"no colon":      {"a lone secret 0123456789\n", "line 1: want name:token"},
		"only a token":  {"secret0123456789abcdef\n", "line 1: want name:token"},
		"no name":       {":" + aliceToken, "line 1: the name before the colon"},
		"name":          {"al ice:" + aliceToken, "line 1: the name before the colon"},
		"long name":     {strings.Repeat("x", 65) + ":" + aliceToken, "line 1: the name before the colon"},
		"short":         {"\nalice:0123456789abcde", "line 2: the token of alice is shorter than 16"},
		"space":         {"alice:0123456789 abcdef", "line 1: the token of alice holds a space"},
		"not ASCII":     {"alice:0123456789äbcdef", "line 1: the token of alice holds a space or a character"},
		"twice":         {"alice:" + aliceToken + "\nbob:" + aliceToken, "line 2: this token is already on line 1"},
		"huge":          {strings.Repeat("#\n", 1<<20), "is larger than"},
	} {
		_, err := auth.ParseTokens([]byte(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), "0123456789") || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: the error tells the token: %v", name, err)
		}
	}
}

// FuzzParseTokens: a token file is refused whole, or every token in it can be shown
// in a header and belongs to one name; and no fault tells a token.
func FuzzParseTokens(f *testing.F) {
	f.Add([]byte("# who\n\nalice:0123456789abcdef\nbob: fedcba9876543210 \r\nalice:another-token-of-hers\n"))
	f.Add([]byte("\xef\xbb\xbfa:0123456789abcdef\nb:0123456789abcdef\n:x\nno colon, 0123456789abcdef\n"))
	f.Add([]byte("alice:" + aliceToken + "\nbob:" + aliceToken))
	f.Fuzz(func(t *testing.T, file []byte) {
		all, err := auth.ParseTokens(file)
		if err == nil && len(all) == 0 {
			t.Fatal("neither tokens nor a fault")
		}
		seen := map[string]bool{}
		for _, k := range all {
			if err == nil && (seen[k.Value] || len(k.Value) < 16 || strings.Trim(k.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "") {
				t.Errorf("%+v", k)
			}
			seen[k.Value] = true
			if err != nil && len(k.Value) > 40 && strings.Contains(err.Error(), k.Value) {
				t.Errorf("%v tells a token", err)
			}
		}
	})
}
