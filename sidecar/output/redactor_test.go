package output_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

func TestPatternsThatCannotBeUsed(t *testing.T) {
	for pattern, want := range map[string]string{
		`a+b`:                 "write one, such as {1,256}",
		`(ab)*`:               "write one, such as {1,256}",
		`x(a|b+)`:             "write one, such as {1,256}",
		`a{3,}b`:              "write one, such as {1,256}",
		`\btoken`:             "leave ^, $ and \\b away",
		`^x`:                  "leave ^, $ and \\b away",
		`a?`:                  "it matches nothing at all",
		`a*`:                  "it matches nothing at all",
		``:                    "it matches nothing at all",
		`(x`:                  "missing closing )",
		`\pL`:                 "too many characters beyond ASCII",
		`.{900}.{200}`:        "4096 are the most",
		`[^\x00-\x{10FFFF}]x`: "it can never match",
	} {
		err := output.CheckPattern(pattern)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", pattern, err, want)
		}
	}
	for _, pattern := range []string{`a+`, `ab{2,}`, `(?i)k[^ ]*`, `x.{0,1000}y`, `[a-zé]{1,9}`, `((a|bc)d){1,3}`} {
		if err := output.CheckPattern(pattern); err != nil {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}

func TestFaultsAreToldTogether(t *testing.T) {
	_, err := output.NewRedactor(output.Rules{
		Patterns: []string{"ok", "a+b"}, Shapes: []string{"github", "gitbuh"},
		Values: []output.Value{{Name: "SHORT", Secret: "12345"}, {Name: "LONG", Secret: strings.Repeat("x", output.LongestValue+1)}},
	})
	var pattern *output.PatternError
	var shape *output.ShapeError
	if !errors.As(err, &pattern) || pattern.Index != 1 || !errors.As(err, &shape) || shape.Index != 1 {
		t.Errorf("the places of the faults: %+v, %+v", pattern, shape)
	}
	for _, want := range []string{"SHORT has 5 bytes", "LONG has 65537 bytes", `no shape "gitbuh"; there are anthropic, `} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q in it", err, want)
		}
	}
	if err != nil && strings.Contains(err.Error(), "12345") {
		t.Errorf("the error tells a secret: %v", err)
	}
}

func TestFormsOfAValue(t *testing.T) {
	const secret = "p@ss/w+rd ü<\"&\n>1"
	r := redactor(t, output.Rules{Values: []output.Value{{Name: "PASSWORD", Secret: "  " + secret + "\n"}}})
	quoted, _ := json.Marshal(secret)
	inside := strings.Trim(string(quoted), `"`)
	for name, form := range map[string]string{
		"as it is":                secret,
		"in a query":              url.QueryEscape(secret),
		"in a path":               url.PathEscape(secret),
		"percent in lower case":   strings.ToLower(url.QueryEscape("p@ss/w+rd ü<\"&\n>1")),
		"percent, but for spaces": strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"),
		"in JSON":                 inside,
		"in ASCII JSON":           strings.ReplaceAll(inside, "ü", `\u00fc`),
		"in JSON, plain":          `p@ss/w+rd ü<\"&\n>1`,
		"in JSON of PHP":          `p@ss\/w+rd ü<\"&\n>1`,
	} {
		if got := stream(r, "<"+form+">"); got != "<[redacted]>" {
			t.Errorf("%s: %q becomes %q", name, form, got)
		}
	}
	for _, before := range []string{"", "a", "ab", "abc", "user:"} {
		for _, after := range []string{"", "x", "xy", "xyz"} {
			for name, e := range map[string]*base64.Encoding{
				"std": base64.StdEncoding, "url": base64.URLEncoding, "raw": base64.RawStdEncoding, "rawurl": base64.RawURLEncoding,
			} {
				text := e.EncodeToString([]byte(before + secret + after))
				got := stream(r, text)
				if !strings.Contains(got, output.Marker) {
					t.Errorf("base64 (%s) of %q+secret+%q stays: %q", name, before, after, got)
				}
				if left := strings.ReplaceAll(got, output.Marker, ""); len(left) > (len(before)+len(after))*4/3+8 {
					t.Errorf("base64 (%s) of %q+secret+%q: %q is left", name, before, after, left)
				}
			}
		}
	}
}

func TestShapes(t *testing.T) {
	const (
		a20 = "abcdefghij0123456789"
		a40 = a20 + a20
	)
	for _, tc := range []struct{ shape, secret string }{
		{"anthropic", "sk-ant-api03-" + a40 + "_-AA"},
		{"authorization", "Authorization: Bearer " + a20},
		{"authorization", `authorization": "Basic dXNlcjpwYXNz`},
		{"authorization", "AUTHORIZATION=token " + a20},
		{"aws", "AKIAIOSFODNN7EXAMPLE"},
		{"aws", "secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
		{"aws", `SecretAccessKey": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY`},
		{"connection-string", "postgres://app:pa$$w0rd@"},
		{"connection-string", "redis://:secret@"},
		{"connection-string", ";Password=hunter2"},
		{"github", key},
		{"github", "github_pat_" + a40},
		{"gitlab", "glpat-" + a20},
		{"google", "AIza" + a20 + "abcdefghij01234"},
		{"google", "ya29." + a40},
		{"google", "GOCSPX-" + a20 + "abcdefgh"},
		{"huggingface", "hf_" + a20 + "abcdefghij"},
		{"jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"},
		{"npm", "npm_" + a40},
		{"openai", "sk-" + a40 + "abcdefgh"},
		{"openai", "sk-proj-ab_cd-" + a40},
		{"private-key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----"},
		{"private-key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ\n-----END PGP PRIVATE KEY BLOCK-----"},
		{"pypi", "pypi-AgEIcHlwaS5vcmc" + a40},
		{"slack", "xoxb-1234567890-" + a20},
		{"slack", "xapp-1-A0-" + a20},
		{"slack", "https://hooks.slack.com/services/T000/B000/" + a20},
		{"stripe", "sk_live_" + a20},
		{"stripe", "rk_test_" + a20},
	} {
		r := redactor(t, output.Rules{Shapes: []string{tc.shape}})
		if got := stream(r, "x: "+tc.secret+" .\n"); got != "x: [redacted] .\n" {
			t.Errorf("%s: %q becomes %q", tc.shape, tc.secret, got)
		}
	}
}

// TestShapesLeaveAlone holds all shapes together to texts that hold no secret.
func TestShapesLeaveAlone(t *testing.T) {
	r := redactor(t, output.Rules{Shapes: output.ShapeNames()})
	for _, text := range []string{
		"https://example.com:8080/a@b", "http://localhost:8999/a2a/outputs/0190", "user@example.com: hello", "git@github.com:a/b.git",
		"sk-learn is not a key", "task-force-of-twenty-people-and-more", "the bearer of good news", "Authorization: none",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n",
		"commit 3f786850e387550fdab836ed7e6dc881de23001b", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"eyJ is how JSON begins in base64", "AKIA is a prefix", "password = os.environ['PASSWORD']", `{"a":"b","n":[1,2,3]}`,
	} {
		if got := stream(r, text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestMoreValues(t *testing.T) {
	base := redactor(t, output.Rules{Patterns: []string{`acme-\d{4}`}})
	more, err := base.With(output.Value{Name: "TOKEN", Secret: "tok-en-tok"})
	if err != nil {
		t.Fatal(err)
	}
	if got := stream(more, "acme-1234 tok-en-tok"); got != "[redacted] [redacted]" {
		t.Errorf("rules and more values: %q", got)
	}
	if got := stream(base, "acme-1234 tok-en-tok"); got != "[redacted] tok-en-tok" {
		t.Errorf("the redactor that was there has changed: %q", got)
	}
	var none *output.Redactor
	if more, err := none.With(output.Value{Name: "TOKEN", Secret: "tok-en-tok"}); err != nil || stream(more, "tok-en-tok") != output.Marker {
		t.Errorf("values alone: %v", err)
	}
	if same, err := none.With(); same != nil || err != nil {
		t.Errorf("nothing makes %v, %v", same, err)
	}
}
