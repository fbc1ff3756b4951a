package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
	"unicode/utf16"
)

// wide returns a text as UTF-16 with a byte order mark.
func wide(s string, big bool) string {
	var b strings.Builder
	for _, c := range append([]uint16{0xfeff}, utf16.Encode([]rune(s))...) {
		if big {
			c = c<<8 | c>>8
		}
		b.Write([]byte{byte(c), byte(c >> 8)})
	}
	return b.String()
}

func grepTree(t *testing.T) string {
	return tree(t, map[string]string{
		"a.go": "package a\n\nfunc One() {}\n// one two\nfunc Two() {}\n", "sub/b.ts": "const one = 1\r\nconst two = 2\r\n", "sub/c.md": "ünö Ünö\none",
		"nums.txt": "1\n2\n3\nmatch\n5\n6\n7\n8\nmatch\nmatch\n11\n", "bin": "one\x00two", "late": strings.Repeat("line\n", 60_000) + "\x00", "le.txt": wide("zwölf 𝄞 one\nx\n", false), "be.txt": wide("one\r\n", true),
		"long.txt": strings.Repeat("é", 1000) + "NEEDLE" + strings.Repeat("ü", 1000) + "\n", "odd.txt": "\xff odd \x1b[1m\n", "bom.txt": "\xef\xbb\xbfstart\n", "empty": "",
		".gitignore": "skip/\n", "skip/x.go": "func One() {}\n", ".env": "One=1\n", "sub/vendor/v.go": "func One() {}\n", "link.go": "-> a.go", "(odd name": "func One\n",
	})
}

func TestGrep(t *testing.T) {
	dir := grepTree(t)
	const binary = "(Not text, and left out: 2 files.)\n"
	for _, c := range []struct{ args, want string }{
		{`{"pattern":"func One"}`, "./(odd name\na.go\nsub/vendor/v.go\n" + binary},
		{`{"pattern":"func \\w+\\(","include":"*.go","output_mode":"content"}`, "a.go:3:func One() {}\na.go:5:func Two() {}\nsub/vendor/v.go:1:func One() {}\n"},
		{`{"pattern":"func","type":"go","exclude":["vendor"],"output_mode":"count"}`, "a.go:2\n"},
		{`{"pattern":"func","type":"go","exclude":"sub/vendor/","output_mode":"count"}`, "a.go:2\n"},
		{`{"pattern":"func","include":["sub/**/*.go","*.ts"],"output_mode":"count"}`, "sub/vendor/v.go:1\n"},
		{`{"pattern":"two$","include":"*.ts","output_mode":"content"}`, "(No match in 1 file.)\n(Left out: 1 that ignore rules name (ignored: true takes them in).)\n"},
		{`{"pattern":"= 2$","include":"*.ts","output_mode":"content"}`, "sub/b.ts:2:const two = 2\n"},
		{`{"pattern":"ÜNÖ","ignore_case":true,"output_mode":"content","type":"md"}`, "sub/c.md:1:ünö Ünö\n"},
		{`{"pattern":"ONE","ignore_case":true,"path":"sub/c.md","output_mode":"content"}`, "sub/c.md:2:one\n"},
		{`{"pattern":"^(𝄞|zw).*one$|^one$","include":"?e.txt","output_mode":"content"}`, "be.txt:1:one\nle.txt:1:zwölf 𝄞 one\n"},
		{`{"pattern":"^start$","path":"bom.txt"}`, "bom.txt\n"},
		{`{"pattern":"odd","path":"odd.txt","output_mode":"content"}`, "odd.txt:1:\ufffd odd \x1b[1m\n"},
		{`{"pattern":"NEEDLE","path":"long.txt","output_mode":"content"}`, "long.txt:1:…" + strings.Repeat("é", 175) + "NEEDLE" + strings.Repeat("ü", 72) + "…\n"},
		{`{"pattern":"match","path":"nums.txt","output_mode":"content","context":1}`, "-nums.txt-3-3\nnums.txt:4:match\n-nums.txt-5-5\n--\n-nums.txt-8-8\nnums.txt:9:match\nnums.txt:10:match\n-nums.txt-11-11\n"},
		{`{"pattern":"match","path":"nums.txt","output_mode":"content","before":2}`, "-nums.txt-2-2\n-nums.txt-3-3\nnums.txt:4:match\n--\n-nums.txt-7-7\n-nums.txt-8-8\nnums.txt:9:match\nnums.txt:10:match\n"},
		{`{"pattern":"match","path":"nums.txt","output_mode":"content","after":100}`, "nums.txt:4:match\n-nums.txt-5-5\n-nums.txt-6-6\n-nums.txt-7-7\n-nums.txt-8-8\nnums.txt:9:match\nnums.txt:10:match\n-nums.txt-11-11\n"},
		{`{"pattern":"match","path":"nums.txt","output_mode":"content","context":1,"head_limit":1}`, "-nums.txt-3-3\nnums.txt:4:match\n-nums.txt-5-5\n(The search ended after 1 result: there are more.)\n"},
		{`{"pattern":"one two.*func","path":"a.go","output_mode":"content","multiline":true}`, "a.go:4:// one two\n:a.go:5:func Two() {}\n"},
		{`{"pattern":"^const.*$","path":"sub/b.ts","output_mode":"count","multiline":true}`, "sub/b.ts:1\n"},
		{`{"pattern":"\\Apackage|^func","path":"a.go","output_mode":"content","multiline":true}`, "a.go:1:package a\na.go:3:func One() {}\na.go:5:func Two() {}\n"},
		{`{"pattern":"One","hidden":true,"include":".env"}`, ".env\n"},
		{`{"pattern":"One","ignored":true,"path":"skip"}`, "skip/x.go\n"},
		{`{"pattern":"One","include":"x.go"}`, "(No match in 0 files.)\n(Left out: 1 that ignore rules name (ignored: true takes them in).)\n"},
		{`{"pattern":"nothing like it","path":"sub"}`, "(No match in 3 files.)\n"},
		{`{"pattern":"x*","path":"empty","output_mode":"count"}`, "(No match in 1 file.)\n"},
		{`{"pattern":"a(b"}`, "error: the pattern \"a(b\" is wrong at character 2: missing closing ); close the group, or write \\( and \\) for the characters themselves\n"},
		{`{"pattern":"ä[)])"}`, "error: the pattern \"ä[)])\" is wrong at character 5: unexpected ); close the group, or write \\( and \\) for the characters themselves\n"},
		{`{"pattern":"x[a-"}`, "error: the pattern \"x[a-\" is wrong at character 2: missing closing ]; close the class, or write \\[ for the character itself\n"},
		{`{"pattern":"[z-a]"}`, "error: the pattern \"[z-a]\" is wrong at character 2: invalid character class range; write the lower end of the range first\n"},
		{`{"pattern":"*x"}`, "error: the pattern \"*x\" is wrong at character 1: missing argument to repetition operator; write \\* for the character itself\n"},
		{`{"pattern":"a(?=b)"}`, "error: the pattern \"a(?=b)\" is wrong at character 2: invalid or unsupported Perl syntax; the syntax is RE2's, which has no look-ahead and no look-behind: search for less, and filter what is found\n"},
		{`{"pattern":"(a)\\1"}`, "error: the pattern \"(a)\\\\1\" is wrong at character 4: invalid escape sequence; the syntax is RE2's, which has no back-references; letters and digits have no backslash unless it has a meaning\n"},
		{`{"pattern":"a{1001}"}`, "error: the pattern \"a{1001}\" is wrong at character 2: invalid repeat count; a repetition is at most {1000}, and its lower number comes first\n"},
		{`{"pattern":"a**"}`, "error: the pattern \"a**\" is wrong at character 2: invalid nested repetition operator; repeat a group in parentheses instead\n"},
		{`{"pattern":"a\\"}`, "error: the pattern \"a\\\\\" is wrong at character 2: trailing backslash at end of expression; write \\\\ for the character itself\n"},
		{`{"pattern":"a\\nb"}`, "error: the pattern \"a\\\\nb\" has the end of a line in it, and each line is matched by itself: set multiline to true\n"},
		{`{"pattern":"(abcdefghijklmnopqrstuvwxyz){999}"}`, "error: the pattern \"(abcdefghijklmnopqrstuvwxyz){999}\" is too large: it needs 27974 steps, and may need 20000; make its repetitions smaller\n"},
		{`{"pattern":"x","context":2}`, "error: before, after and context show lines: set output_mode to \"content\"\n"},
		{`{"pattern":"x","type":"pyton"}`, "error: the type \"pyton\" is unknown: write \"python\", or use include with a glob\n"},
		{`{"pattern":"x","include":"!*.go"}`, "error: the include \"!*.go\" begins with !: give \"*.go\" as exclude\n"},
		{`{"pattern":"x","exclude":["a","{b"]}`, "error: the exclude \"{b\" is wrong at character 1: the group that { begins has no end; write \\{ for the character itself\n"},
		{`{"pattern":"x","path":"nowhere"}`, "error: the path \"nowhere\" does not exist: leave path out to search the whole workspace\n"},
		{`{"pattern":"x","path":"/etc/passwd"}`, "error: the path \"/etc/passwd\" cannot be searched: it is outside of what this call may use; give a directory of the workspace\n"},
		{`{"pattern":"x","path":"link.go"}`, "error: the path \"link.go\" cannot be searched: a symbolic link has come into its way\n"},
	} {
		c.want = strings.ReplaceAll(strings.ReplaceAll(c.want, "\n-nums", "\n nums"), "\n:a.go", "\n a.go")
		if strings.HasPrefix(c.want, "-nums") {
			c.want = " " + c.want[1:]
		}
		if got := searched(t, dir, "grep", c.args); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.args, got, c.want)
		}
	}
	if got, want := searched(t, dir, "grep", `{"pattern":"func One"}`, "vendor"), "./(odd name\na.go\n"+binary+"(The rules leave out 1 file or directory.)\n"; got != want {
		t.Errorf("with a rule:\n%swant\n%s", got, want)
	}
}

// Each line of a large file is found once, with its number, and lines around a match are whole at the ends of blocks.
func TestGrepLargeFile(t *testing.T) {
	var text, want strings.Builder
	for i := 1; i <= 100_000; i++ {
		line := fmt.Sprintf("%d %s", i, strings.Repeat("x", i%97))
		if i%9973 == 0 {
			line += "HIT"
		}
		text.WriteString(line + "\n")
	}
	lines := strings.Split(text.String(), "\n")
	for i := 9973; i <= 100_000; i += 9973 {
		if want.Len() > 0 {
			want.WriteString("--\n")
		}
		for n := i - 3; n <= min(i+2, 100_000); n++ {
			if n == i {
				fmt.Fprintf(&want, "big:%d:%s\n", n, lines[n-1])
			} else {
				fmt.Fprintf(&want, " big-%d-%s\n", n, lines[n-1])
			}
		}
	}
	dir := tree(t, map[string]string{"big": text.String()})
	for _, pattern := range []string{"HIT", `[G-I]+T$`, `x*HIT`} {
		if got := searched(t, dir, "grep", `{"pattern":"`+pattern+`","output_mode":"content","before":3,"after":2}`); got != want.String() {
			t.Errorf("%s:\n%s", pattern, got)
		}
	}
	if got := searched(t, dir, "grep", `{"pattern":"HIT","output_mode":"count","multiline":true}`); got != "big:10\n" {
		t.Errorf("as a whole: %s", got)
	}
}

// A line that never ends takes bounded memory, and what is not searched is told.
func TestGrepLongLine(t *testing.T) {
	dir := tree(t, map[string]string{"one": "x" + strings.Repeat("y", 9<<20) + "z\nlast\n"})
	const told = "(Over 4MiB, and searched only in their beginning: 1 line.)\n"
	for pattern, want := range map[string]string{"z": "(No match in 1 file.)\n" + told, "last": "one:2:last\n" + told, "xy": "one:1:x" + strings.Repeat("y", 499) + "…\n" + told} {
		if got := searched(t, dir, "grep", `{"pattern":"`+pattern+`","output_mode":"content"}`); got != want {
			t.Errorf("%s: %s", pattern, got)
		}
	}
	if got, want := searched(t, dir, "grep", `{"pattern":"z","multiline":true}`), "(No match in 0 files.)\n(Over 8MiB, and left out because of multiline: 1 file.)\n"; got != want {
		t.Errorf("as a whole: %s", got)
	}
}

// The results come in the order of the paths, however many workers there are, and each time the same.
func TestGrepOrder(t *testing.T) {
	contents := map[string]string{}
	var want strings.Builder
	for i := range 300 {
		name := fmt.Sprintf("d%02d/f%03d", i/20, i)
		contents[name] = strings.Repeat("a line that matches\n", 1+i*7%90)
		for n := range 1 + i*7%90 {
			fmt.Fprintf(&want, "%s:%d:a line that matches\n", name, n+1)
		}
	}
	dir := tree(t, contents)
	for range 5 {
		if got := searched(t, dir, "grep", `{"pattern":"matches","output_mode":"content"}`); got != want.String() {
			t.Fatal("the result is in another order")
		}
	}
	if got := searched(t, dir, "grep", `{"pattern":"matches","output_mode":"content","head_limit":77}`); !strings.HasPrefix(want.String(), strings.TrimSuffix(got, "(The search ended after 77 results: there are more.)\n")) || strings.Count(got, "\n") != 78 {
		t.Errorf("%s", got)
	}
}

func slowFiles(n int, each time.Duration) fakeFiles {
	files := fstest.MapFS{}
	for i := range n {
		files[fmt.Sprintf("f%03d", i)] = &fstest.MapFile{Data: []byte("one\n")}
	}
	return fakeFiles{files: files, look: func(path string) {
		if strings.HasPrefix(path, "/w/f") {
			<-time.After(each)
		}
	}}
}

// A search ends after its time with what it has, in its order, and says so.
func TestGrepEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		got := searchedOn(t.Context(), slowFiles(1000, 400*time.Millisecond), "grep", `{"pattern":"one"}`)
		if took := time.Since(begin); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("it took %s", took)
		}
		if !strings.HasPrefix(got, "f000\nf001\n") || !strings.Contains(got, "\n(The search ended after 10s, when ") || !strings.HasSuffix(got, " files were searched: there may be more; search a directory further down, or use include.)\n") {
			t.Errorf("%s", got)
		}
	})
}

// A search that is cancelled in the middle keeps what it has written, and returns the cause.
func TestGrepCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(9*time.Second, func() { cancel(errors.New("nobody wants it")) })
		begin := time.Now()
		got := searchedOn(ctx, slowFiles(1000, 200*time.Millisecond), "grep", `{"pattern":"one"}`)
		if !strings.HasPrefix(got, "f000\n") || !strings.HasSuffix(got, "\nerror: nobody wants it\n") || time.Since(begin) > 10*time.Second {
			t.Errorf("after %s: %s", time.Since(begin), got)
		}
	})
}

// failingWriter takes nothing after its first bytes.
type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("nobody reads it")
	}
	return len(p), nil
}

// A search whose result nobody takes ends.
func TestGrepEndsWithItsReader(t *testing.T) {
	dir := tree(t, map[string]string{"a": strings.Repeat("one\n", 500_000), "b": strings.Repeat("one\n", 500_000)})
	err := onFiles(t, dir, "grep", json.RawMessage(`{"pattern":"one","output_mode":"content"}`), &failingWriter{left: 100_000})
	if err == nil || err.Error() != "nobody reads it" {
		t.Errorf("%v", err)
	}
	var out bytes.Buffer
	if err := onFiles(t, dir, "grep", json.RawMessage(`{"pattern":"one","output_mode":"content"}`), &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, "\n") != 100_001 || !strings.HasSuffix(got, "\na:100000:one\n(The search ended after 100000 results: there are more; make the pattern narrower.)\n") {
		t.Errorf("%s", got[max(0, len(got)-300):])
	}
}

// A pattern that takes very long for one line does not take longer than a search may.
func TestGrepEndsWithinALine(t *testing.T) {
	text := make([]byte, 3<<20)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range text {
		text[i] = "abc"[random.IntN(3)]
	}
	f := fakeFiles{files: fstest.MapFS{"f": &fstest.MapFile{Data: text}}}
	ctx, cancel := context.WithCancelCause(t.Context())
	timer := time.AfterFunc(100*time.Millisecond, func() { cancel(errors.New("enough")) })
	defer timer.Stop()
	begin := time.Now()
	got := searchedOn(ctx, f, "grep", `{"pattern":"(a|b|c)*a(a|b|c){900}[de]","output_mode":"content"}`)
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if got != "error: enough\n" {
		t.Errorf("%s", got)
	}
}
