package output_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

// redactor returns what the rules make, which must be right.
func redactor(t testing.TB, r output.Rules) *output.Redactor {
	t.Helper()
	made, err := output.NewRedactor(r)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// stream returns what comes out of a stream that gets the text in these pieces.
func stream(r *output.Redactor, pieces ...string) string {
	var b strings.Builder
	s := r.Stream()
	for _, piece := range pieces {
		b.Write(s.Next([]byte(piece)))
	}
	b.Write(s.Close())
	return b.String()
}

const key = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

var everyKind = output.Rules{
	Patterns: []string{`acme-[0-9a-f]{4,8}`, `(?i)pin=\d{1,6};`, `zz[^ ]{2,}`},
	Values:   []output.Value{{Name: "TOKEN", Secret: "s3cr3t/w ü\"x"}},
	Shapes:   []string{"github", "private-key", "connection-string"},
}

func TestSecretCutAnywhere(t *testing.T) {
	r := redactor(t, everyKind)
	for _, tc := range []struct{ name, in, want string }{
		{"a value", "a s3cr3t/w ü\"x b", "a [redacted] b"},
		{"a pattern of several lengths", "a acme-0123456 b", "a [redacted] b"},
		{"a pattern at its most", "a acme-012345678 b", "a [redacted]8 b"},
		{"an end of its own", "PIN=1234;PIN=12 ;", "[redacted]PIN=12 ;"},
		{"an open end", "a zz12345,678 b", "a [redacted] b"},
		{"a shape", "key=" + key + "67\n", "key=[redacted]\n"},
		{"almost a shape", key[:39] + " " + key[:9], key[:39] + " " + key[:9]},
		{"two beside each other", "acme-0123acme-4567,", "[redacted],"},
		{"two apart", "acme-0123 acme-4567,", "[redacted] [redacted],"},
		{"one in another", "zzacme-0123456789ab c", "[redacted] c"},
		{"a block", "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc==\n-----END RSA PRIVATE KEY-----\nb", "a\n[redacted]\nb"},
		{"at the end", "x acme-01", "x acme-01"},
		{"a match that only the end ends", "x acme-0123", "x [redacted]"},
		{"nothing", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := stream(r, tc.in); got != tc.want {
				t.Fatalf("whole: %q becomes %q, not %q", tc.in, got, tc.want)
			}
			for i := range len(tc.in) + 1 {
				for j := i; j <= len(tc.in); j++ {
					if got := stream(r, tc.in[:i], tc.in[i:j], tc.in[j:]); got != tc.want {
						t.Fatalf("cut at %d and %d: %q becomes %q, not %q", i, j, tc.in, got, tc.want)
					}
				}
			}
		})
	}
}

// TestSameAsTheExpressions compares a stream with the plain meaning of its rules: each
// byte that belongs to any match of any rule is taken out, and no other.
func TestSameAsTheExpressions(t *testing.T) {
	patterns := []string{`ab{1,3}a`, `a(bc|b)c{0,2}`, `[ab]{2,4}c`, `ca?b`, `bb[ac]+`, `é.b`}
	const letters = "aabbcé\n"
	random := rand.New(rand.NewPCG(1, 2))
	for n := range len(patterns) {
		r := redactor(t, output.Rules{Patterns: patterns[:n+1]})
		for range 400 {
			var text strings.Builder
			for range random.IntN(24) {
				text.WriteRune([]rune(letters)[random.IntN(7)])
			}
			in := text.String()
			var pieces []string
			for rest := in; rest != ""; {
				cut := 1 + random.IntN(len(rest))
				pieces, rest = append(pieces, rest[:cut]), rest[cut:]
			}
			if got, want := stream(r, pieces...), expected(patterns[:n+1], in); got != want {
				t.Fatalf("%q by %q becomes %q, not %q", pieces, patterns[:n+1], got, want)
			}
		}
	}
}

// expected tries every rule on every part of the text.
func expected(patterns []string, in string) string {
	secret := make([]bool, len(in)+1)
	for _, p := range patterns {
		whole := regexp.MustCompile("^(?:" + p + ")$")
		for i := range in {
			for j := i + 1; j <= len(in); j++ {
				if whole.MatchString(in[i:j]) {
					for k := i; k < j; k++ {
						secret[k] = true
					}
				}
			}
		}
	}
	var b strings.Builder
	for i := range len(in) {
		switch {
		case !secret[i]:
			b.WriteByte(in[i])
		case i == 0 || !secret[i-1]:
			b.WriteString(output.Marker)
		}
	}
	return b.String()
}

func TestOnlyWhatMayBecomeASecretWaits(t *testing.T) {
	r := redactor(t, everyKind)
	s := r.Stream()
	for _, tc := range []struct{ in, out string }{
		{"10%\n", "10%\n"},
		{"20%\nacme", "20%\n"},
		{"-01", ""},
		{"!", "acme-01!"},
		{" acme-0123", " "}, // four to eight digits: the secret may go on
		{" ", "[redacted] "},
		{"zz,1", "[redacted]"}, // an open end waits for nothing
		{"345", ""},
		{" -----BEGIN PRIVATE KEY-----", " [redacted]"},
		{"MIIE", ""},
		{"-----END PRIVATE KEY-----", ""},
		{"\n", "\n"},
	} {
		if got := string(s.Next([]byte(tc.in))); got != tc.out {
			t.Fatalf("after %q the stream gives %q, not %q", tc.in, got, tc.out)
		}
	}
	if rest := s.Close(); len(rest) > 0 {
		t.Fatalf("%q was held back until the end", rest)
	}
}

// TestBlockHasAWindow sends a private key that never ends.
func TestBlockHasAWindow(t *testing.T) {
	r := redactor(t, output.Rules{Shapes: []string{"private-key"}})
	in := "-----BEGIN PRIVATE KEY-----" + strings.Repeat("x", 64<<10) + "after"
	if got := stream(r, in); got != "[redacted]after" {
		t.Fatalf("a key without an end becomes %q", got)
	}
	for _, end := range []string{"------END X-----", "-----EN-----END X-----", "-----END X----------"} {
		in, want := "-----BEGIN PRIVATE KEY-----x"+end+"y", "[redacted]y"
		if strings.HasSuffix(end, "----------") {
			want = "[redacted]-----y"
		}
		if got := stream(r, in); got != want {
			t.Errorf("%q becomes %q, not %q", in, got, want)
		}
	}
}

func TestNoRedactorChangesNothing(t *testing.T) {
	var none *output.Redactor
	chunk := []byte("as it is")
	if got := none.Stream().Next(chunk); &got[0] != &chunk[0] {
		t.Error("a chunk was copied")
	}
	made, err := output.NewRedactor(output.Rules{Values: []output.Value{{Name: "EMPTY", Secret: " \n"}}})
	if made != nil || err != nil {
		t.Errorf("rules without a secret make %v, %v", made, err)
	}
	if n := testing.AllocsPerRun(100, func() { none.Stream().Next(chunk) }); n > 0 {
		t.Errorf("no redactor makes %v allocations", n)
	}
}

// FuzzStream looks for texts whose result depends on how they are cut.
func FuzzStream(f *testing.F) {
	f.Add([]byte("acme-0123 zz123 "+key), uint8(3), uint8(7))
	r := redactor(f, everyKind)
	f.Fuzz(func(t *testing.T, text []byte, a, b uint8) {
		i := min(int(a), len(text))
		j := min(i+int(b), len(text))
		whole, _ := r.Bytes(text)
		if cut := stream(r, string(text[:i]), string(text[i:j]), string(text[j:])); cut != string(whole) {
			t.Fatalf("%q cut at %d and %d gives %q, whole %q", text, i, j, cut, whole)
		}
	})
}

// BenchmarkStream must take the same time per byte at each size.
func BenchmarkStream(b *testing.B) {
	all := output.Rules{Patterns: everyKind.Patterns, Values: everyKind.Values, Shapes: output.ShapeNames()}
	for _, kind := range []struct {
		name string
		text string
	}{
		{"log", "2026-01-02T03:04:05Z INFO http://localhost:8080/x status=200 took=12ms user=ann\n"},
		{"base64", "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24sIGJ1dCBieSB0aGlz"},
		{"secrets", "acme-01234567 zz1234 " + key + " "},
	} {
		for _, size := range []int{64 << 10, 1 << 20, 16 << 20} {
			b.Run(fmt.Sprintf("%s/%dKiB", kind.name, size>>10), func(b *testing.B) {
				r := redactor(b, all)
				chunk := bytes.Repeat([]byte(kind.text), 32<<10/len(kind.text))
				b.SetBytes(int64(size))
				for b.Loop() {
					s := r.Stream()
					for n := 0; n < size; n += len(chunk) {
						s.Next(chunk)
					}
					s.Close()
				}
			})
		}
	}
}
