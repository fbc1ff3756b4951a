package tool_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
)

func globTree(t *testing.T) string {
	dir := tree(t, map[string]string{
		"a.go": "", "b.txt": "", "sub/c.go": "", "sub/deep/d.go": "", "sub/deep/e.ts": "", "sub/ü[1].md": "", "web/x.tsx": "", "web/y.ts": "", "-dash.c": "", "(note).c": "", " blank.c": "",
		".hidden.go": "", ".github/ci.yml": "", ".github/.secret/k.yml": "", ".git/config": "", ".git/info/exclude": "excluded.log\n", "excluded.log": "",
		".gitignore": "*.log\n!keep.log\nbuild/\n/only-here.h\ndocs/**/tmp\n", "x.log": "", "keep.log": "", "build/z.go": "", "only-here.h": "", "sub/only-here.h": "", "docs/a/b/tmp/t.h": "", "docs/a/t.h": "",
		"sub/.gitignore": "!x.log\ndeep/*.ts\n", "sub/x.log": "", "loop": "-> .", "link.go": "-> a.go", "sub/.ignore": "# all\n",
	})
	aged(t, dir, "sub/deep/d.go", "a.go", "sub/c.go", "web/y.ts", "web/x.tsx", "x.log", "sub/x.log", "keep.log", "docs/a/t.h", "sub/only-here.h", "-dash.c", "(note).c", " blank.c")
	return dir
}

func TestGlob(t *testing.T) {
	dir := globTree(t)
	for _, c := range []struct{ args, want string }{
		{`{"pattern":"**/*.go"}`, "sub/deep/d.go\na.go\nsub/c.go\n"},
		{`{"pattern":"*.go"}`, "a.go\n"},
		{`{"pattern":"./sub/**/*.go"}`, "sub/deep/d.go\nsub/c.go\n"},
		{`{"pattern":"*.go","path":"sub"}`, "sub/c.go\n"},
		{`{"pattern":"deep/*","path":"sub"}`, "sub/deep/d.go\n"},
		{`{"pattern":"**/*.{ts,tsx}"}`, "web/y.ts\nweb/x.tsx\n"},
		{`{"pattern":"{sub/c,web/y}.[gt][os]"}`, "sub/c.go\nweb/y.ts\n"},
		{`{"pattern":"{,x}**/d.go"}`, "sub/deep/d.go\n"},
		{`{"pattern":"sub/?\\[1\\].md"}`, "sub/ü[1].md\n"},
		{`{"pattern":"*.c"}`, "./-dash.c\n./(note).c\n./ blank.c\n"},
		{`{"pattern":"**/*.log"}`, "sub/x.log\nkeep.log\n"},
		{`{"pattern":"**/*.log","ignored":true}`, "excluded.log\nx.log\nsub/x.log\nkeep.log\n"},
		{`{"pattern":"**/*.h"}`, "docs/a/t.h\nsub/only-here.h\n"},
		{`{"pattern":"**/*.yml"}`, "(No file matches.)\n(Left out: 1 hidden file or directory (hidden: true takes them in) and 2 that ignore rules name (ignored: true).)\n"},
		{`{"pattern":".github/*.yml"}`, ".github/ci.yml\n"},
		{`{"pattern":"**/k.yml","hidden":true}`, ".github/.secret/k.yml\n"},
		{`{"pattern":"**/config","hidden":true,"ignored":true}`, "(No file matches.)\n"},
		{`{"pattern":"build/*"}`, "(No file matches.)\n(Left out: 1 that ignore rules name (ignored: true takes them in).)\n"},
		{`{"pattern":"su*"}`, "(No file matches.)\n(The pattern matches 1 directory: glob lists files; end the pattern with /**.)\n"},
		{`{"pattern":"loop/**"}`, "(No file matches.)\n(The pattern matches 1 symbolic link, which glob does not list or follow.)\n"},
		{`{"pattern":"link.go"}`, "(No file matches.)\n(The pattern matches 1 symbolic link, which glob does not list or follow.)\n"},
		{`{"pattern":"*.go","path":"a.go"}`, "error: the path \"a.go\" is a file: give its directory, or use read to see the file\n"},
		{`{"pattern":"*.go","path":"nowhere"}`, "error: the path \"nowhere\" does not exist: leave path out to search the whole workspace\n"},
		{`{"pattern":"*.go","path":"/etc"}`, "error: the path \"/etc\" cannot be searched: it is outside of what this call may use; give a directory of the workspace\n"},
		{`{"pattern":"*.go","path":"loop"}`, "error: the path \"loop\" cannot be searched: a symbolic link has come into its way\n"},
		{`{"pattern":"src/[a-z"}`, "error: the pattern \"src/[a-z\" is wrong at character 5: the class that [ begins has no end; write \\[ for the character itself\n"},
		{`{"pattern":"ü{a,b"}`, "error: the pattern \"ü{a,b\" is wrong at character 2: the group that { begins has no end; write \\{ for the character itself\n"},
		{`{"pattern":"a}"}`, "error: the pattern \"a}\" is wrong at character 2: there is no { for this }; write \\} for the character itself\n"},
		{`{"pattern":"a\\"}`, "error: the pattern \"a\\\\\" is wrong at character 2: a backslash is last; write \\\\ for the character itself\n"},
		{`{"pattern":"[]a"}`, "error: the pattern \"[]a\" is wrong at character 1: the class that [ begins has no end; write \\[ for the character itself\n"},
		{`{"pattern":"{a}{a}{a}{a}{a}{a}{a}{a}{a}"}`, "error: the pattern \"{a}{a}{a}{a}{a}{a}{a}{a}{a}\" is wrong at character 25: it has more than 8 groups in braces; search several times\n"},
		{`{"pattern":"/src/x/**/*.go"}`, "error: the pattern \"/src/x/**/*.go\" is absolute: give path \"/src/x\" and pattern \"**/*.go\"\n"},
		{`{"pattern":"../*.go"}`, "error: the pattern \"../*.go\" goes up with ..: give the directory as path\n"},
		{`{"pattern":"sub/"}`, "error: the pattern \"sub/\" names a directory: write \"sub/**\" for the files in it\n"},
	} {
		if got := searched(t, dir, "glob", c.args); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.args, got, c.want)
		}
	}
	if got, want := searched(t, dir, "glob", `{"pattern":"**/*.go"}`, "deep"), "a.go\nsub/c.go\n(The rules leave out 1 file or directory.)\n"; got != want {
		t.Errorf("with a rule:\n%swant\n%s", got, want)
	}
}

// A repository within another one has rules of its own alone.
func TestGlobInARepositoryOfItsOwn(t *testing.T) {
	dir := tree(t, map[string]string{".gitignore": "*.log\n", "in/.git/HEAD": "", "in/a.log": "", "in/sub/b.log": "", "c.log": ""})
	for _, args := range []string{`{"pattern":"**/*.log"}`, `{"pattern":"**/*.log","path":"in"}`, `{"pattern":"**/?.log","path":"in"}`} {
		if got := searched(t, dir, "glob", args); strings.Count(got, "\n") != 2 || strings.Contains(got, "c.log") {
			t.Errorf("%s: %s", args, got)
		}
	}
	if got := searched(t, dir, "glob", `{"pattern":"*.log","path":"in/sub"}`); got != "in/sub/b.log\n" {
		t.Errorf("below: %s", got)
	}
}

// What cannot be read is named, and the rest is found.
func TestGlobTellsWhatItCannotRead(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 5 {
		files[fmt.Sprintf("d%d/x.go", i)] = &fstest.MapFile{}
	}
	f := fakeFiles{files: files, fail: func(path string) error {
		if strings.HasPrefix(path, "/w/d") && !strings.HasPrefix(path, "/w/d0") {
			return errors.New("it is locked")
		}
		return nil
	}}
	want := "d0/x.go\n(Not readable: d1: it is locked; d2: it is locked; d3: it is locked; and 1 more.)\n"
	if got := searchedOn(t.Context(), f, "glob", `{"pattern":"**/*.go"}`); got != want {
		t.Errorf("%swant\n%s", got, want)
	}
}

// A search in a file system that is slow ends after its time, with what it has, and is cancelled at once.
func TestGlobEndsInTime(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 100 {
		files[fmt.Sprintf("d%02d/x.go", i)] = &fstest.MapFile{}
	}
	synctest.Test(t, func(t *testing.T) {
		f := fakeFiles{files: files, look: func(path string) {
			if strings.Count(path, "/") == 2 && !strings.Contains(path, "/.") {
				<-time.After(time.Second)
			}
		}}
		begin := time.Now()
		got := searchedOn(t.Context(), f, "glob", `{"pattern":"**/*.go"}`)
		if took := time.Since(begin); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("it took %s", took)
		}
		if !strings.HasPrefix(got, "d00/x.go\n") || !strings.HasSuffix(got, "/x.go\n(The search ended after 10s: there may be more files; search in a directory further down.)\n") {
			t.Errorf("%s", got)
		}
	})
}

// The newest of very many files are kept, and no walk goes on for ever.
func TestGlobIsBounded(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 100_010 {
		files[fmt.Sprintf("d/f%06d", i)] = &fstest.MapFile{ModTime: time.Unix(int64(i), 0)}
	}
	got := searchedOn(t.Context(), fakeFiles{files: files}, "glob", `{"pattern":"d/*"}`)
	if !strings.HasPrefix(got, "d/f100009\nd/f100008\n") || !strings.HasSuffix(got, "\nd/f000010\n(Of 100010 files the newest 100000 are listed.)\n") {
		t.Errorf("%s … %s", got[:50], got[len(got)-100:])
	}
	deep := tree(t, map[string]string{strings.Repeat("d/", 256) + "x.go": "", strings.Repeat("d/", 257) + "y.go": ""})
	want := strings.Repeat("d/", 256) + "x.go\n(Deeper than 256 directories: what is in 1 directory was left out.)\n"
	if got := searched(t, deep, "glob", `{"pattern":"**/*.go"}`); got != want {
		t.Errorf("%s", got)
	}
	rules := tree(t, map[string]string{".gitignore": strings.Repeat("x\n", 10_001), "a": ""})
	if got, want := searched(t, rules, "glob", `{"pattern":"*"}`), "a\n(Of 1 file of ignore rules not all is used: the most is 1MiB and 10000 rules in one, 4KiB in a line, and 4MiB in all that hold at once.)\n"; got != want {
		t.Errorf("%s", got)
	}
}
