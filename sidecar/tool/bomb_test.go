package tool_test

import (
	"context"
	"fmt"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
)

// A pattern with braces stands for many, and one match may try them all: this one for 100 to the power of 8, of
// which each match tries every one, and nothing can stop it.
func TestPatternBomb(t *testing.T) {
	dir := tree(t, map[string]string{"a.go": "x\n"})
	bomb := strings.Repeat("{"+strings.Repeat(",", 99)+"}", 8) + "z"
	nested := "{" + strings.Repeat("{a,b},{c,d},", 125) + "e}"
	for _, c := range []struct{ id, args, want string }{
		{"glob", fmt.Sprintf(`{"pattern":%q}`, bomb), "stands for more than 500 patterns without braces: search several times"},
		{"glob", fmt.Sprintf(`{"pattern":%q}`, "**/"+nested), "it has more than 8 groups in braces"},
		{"glob", fmt.Sprintf(`{"pattern":%q}`, "{"+strings.Repeat("a,", 500)+"}"), "stands for more than 500"},
		{"glob", fmt.Sprintf(`{"pattern":%q}`, "{{a,b},{c,d}}{"+strings.Repeat("a,", 125)+"}"), "stands for more than 500"},
		{"glob", fmt.Sprintf(`{"pattern":%q}`, "{{a,b},{c,d}}{"+strings.Repeat("a,", 124)+"}"), "(No file matches.)"},
		{"glob", `{"pattern":"{src,a.[{,}]o,\\{,a\\,b}{,.go}{,.ts,x{1,2}}"}`, "(No file matches.)"},
		{"grep", fmt.Sprintf(`{"pattern":"x","include":%q}`, bomb), "stands for more than 500"},
		{"grep", fmt.Sprintf(`{"pattern":"x","exclude":["b",%q]}`, bomb), "stands for more than 500"},
		{"grep", `{"pattern":"x","include":"{a,b}.{go,ts}"}`, "a.go\n"},
	} {
		if got := searched(t, dir, c.id, c.args); !strings.Contains(got, c.want) {
			t.Errorf("%.60s: %s", c.args, got)
		}
	}
}

// A search ends when its time has, also if its ignore rules take long for each of many files of one directory.
func TestIgnoreBomb(t *testing.T) {
	files := map[string]*fstest.MapFile{".gitignore": {Data: []byte(strings.Repeat("*"+strings.Repeat("a*", 40)+"b\n", 10_000))}}
	for i := range 3000 {
		files[fmt.Sprintf("%s%d", strings.Repeat("a", 200), i)] = &fstest.MapFile{Data: []byte("x\n")}
	}
	for id, args := range map[string]string{"glob": `{"pattern":"**"}`, "grep": `{"pattern":"x"}`} {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		got := searchedOn(ctx, fakeFiles{files: files}, id, args)
		cancel()
		if took := time.Since(began); took > 5*time.Second || !strings.Contains(got, "error: "+context.DeadlineExceeded.Error()) {
			t.Errorf("%s: %s after %s", id, got, took)
		}
	}
}

// The rules that hold at once are bounded: each directory of a deep tree may add to them.
func TestIgnoreRulesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := []byte(strings.Repeat(strings.Repeat("x/", 2000)+"y\n", 200))
		files, at := map[string]*fstest.MapFile{}, "."
		for range 20 {
			files[path.Join(at, ".gitignore")] = &fstest.MapFile{Data: rules}
			at = path.Join(at, "d")
		}
		files[path.Join(at, "f.txt")] = &fstest.MapFile{}
		got := searchedOn(t.Context(), fakeFiles{files: files}, "glob", `{"pattern":"**"}`)
		if want := "(Of 15 files of ignore rules not all is used: the most is 1MiB and 10000 rules in one, 4KiB in a line, and 4MiB in all that hold at once.)\n"; !strings.HasSuffix(got, "d/f.txt\n"+want) {
			t.Error(got)
		}
	})
}
