package skill_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/skill"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put writes a file, with the directories that it is in.
func put(t testing.TB, text string, elem ...string) {
	t.Helper()
	path := filepath.Join(elem...)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// md is a good SKILL.md.
func md(name, description string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\n---\nThe text of %s.\n", name, description, name)
}

// followed is a library that is followed until the test ends.
func followed(t testing.TB, log *await.Log, roots ...skill.Root) *skill.Library {
	t.Helper()
	o := skill.Options{Roots: roots, Poll: time.Hour}
	if log != nil {
		o.Log = slog.New(slog.NewTextHandler(log, nil))
	}
	l := skill.Open(o)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); l.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	return l
}

// until waits for a set of which a test holds.
func until(t testing.TB, l *skill.Library, what string, holds func(*skill.Set) bool) {
	t.Helper()
	for {
		changed := l.Changed()
		if holds(l.Current()) {
			return
		}
		await.One(t, changed, what)
	}
}

func names(s *skill.Set) string {
	var all []string
	for _, one := range s.All() {
		all = append(all, one.Name)
	}
	return strings.Join(all, " ")
}

func TestLibraryFollows(t *testing.T) {
	t.Parallel()
	top, log := filepath.Join(t.TempDir(), "skills"), &await.Log{}
	l := followed(t, log, skill.Root{Path: top, Shown: true})
	is := func(want string) {
		t.Helper()
		until(t, l, want, func(s *skill.Set) bool { return names(s) == want })
	}
	says := func(name, want string) {
		t.Helper()
		until(t, l, want, func(s *skill.Set) bool { one := s.Lookup(name); return one != nil && one.Description == want })
	}
	is("")
	put(t, md("pdf", "one"), top, "pdf", skill.File)
	is("pdf")
	put(t, md("pdf", "two"), top, "pdf", skill.File)
	says("pdf", "two")
	put(t, md("pdf", "three"), top, "pdf", "new")
	must(t, os.Rename(filepath.Join(top, "pdf", "new"), filepath.Join(top, "pdf", skill.File)))
	says("pdf", "three")

	put(t, "---\nname: pdf\n---\n", top, "pdf", skill.File) // the last good version stays
	log.Says(t, "description is missing")
	put(t, "nothing", top, "bad", skill.File) // and one that never was good is left out
	log.Says(t, "the first line is not ---")
	if got := l.Current().Lookup("pdf"); got == nil || got.Description != "three" || names(l.Current()) != "pdf" {
		t.Errorf("with a bad file: %s %+v", names(l.Current()), got)
	}
	put(t, md("pdf", "four"), top, "pdf", skill.File)
	says("pdf", "four")
	put(t, md("bad", "good"), top, "bad", skill.File)
	is("bad pdf")

	must(t, os.Remove(filepath.Join(top, "bad", skill.File)))
	is("pdf")
	must(t, os.Rename(filepath.Join(top, "pdf"), filepath.Join(top, "word")))
	is("")
	put(t, md("word", "five"), top, "word", skill.File)
	is("word")
	must(t, os.RemoveAll(top))
	is("")
	put(t, md("again", "six"), top, "again", skill.File)
	is("again")

	put(t, "["+bridged("again.run", `{"exec":{"command":["cat"]}}`)+"]", top, "again", skill.Tools)
	until(t, l, "tools", func(s *skill.Set) bool { return len(s.Lookup("again").Tools) == 1 })
	put(t, "[", top, "again", skill.Tools)
	log.Says(t, "tools.json")
	if len(l.Current().Lookup("again").Tools) != 1 {
		t.Error("a bad tools.json has taken the tools away")
	}
	must(t, os.Remove(filepath.Join(top, "again", skill.Tools)))
	until(t, l, "no tools", func(s *skill.Set) bool { return len(s.Lookup("again").Tools) == 0 })
}

// What is no good SKILL.md is told of, and holds up no other skill.
func TestLibraryWithOddFiles(t *testing.T) {
	t.Parallel()
	top, outside, log := t.TempDir(), t.TempDir(), &await.Log{}
	put(t, md("good", "d"), top, "good", skill.File)
	put(t, md("out", "d"), outside, "out", skill.File)
	put(t, md("inner", "d"), top, "inner", "real")
	must(t, os.Symlink("real", filepath.Join(top, "inner", skill.File)))
	must(t, os.Symlink("good", filepath.Join(top, "alias"))) // its name is another one
	must(t, os.Symlink(filepath.Join(outside, "out"), filepath.Join(top, "out")))
	must(t, os.Mkdir(filepath.Join(top, "leads"), 0o700))
	must(t, os.Symlink(filepath.Join(outside, "out", skill.File), filepath.Join(top, "leads", skill.File)))
	must(t, os.Symlink("loop", filepath.Join(top, "loop")))
	must(t, os.Mkdir(filepath.Join(top, "pipe"), 0o700))
	must(t, syscall.Mkfifo(filepath.Join(top, "pipe", skill.File), 0o600))
	must(t, os.MkdirAll(filepath.Join(top, "dir", skill.File), 0o700))
	put(t, "---\nname: big\ndescription: d\n---\n"+strings.Repeat("x", 10<<20), top, "big", skill.File)
	put(t, md("hidden", "d"), top, ".hidden", skill.File)
	put(t, "text", top, "file")
	must(t, os.Mkdir(filepath.Join(top, "empty"), 0o700))
	l := followed(t, log, skill.Root{Path: top, Shown: true})
	if got := names(l.Current()); got != "good inner" {
		t.Errorf("loaded %s", got)
	}
	for _, want := range []string{
		`file=` + top + `/out fault="the link leads nowhere inside of ` + top + `" fix="put a copy in its place"`,
		`file=` + top + `/leads/SKILL.md fault="the link leads nowhere inside of ` + top + `"`,
		`file=` + top + `/loop fault="the link leads nowhere inside of ` + top + `"`,
		`file=` + top + `/pipe/SKILL.md fault="it cannot be read: it is no regular file"`,
		`file=` + top + `/dir/SKILL.md fault="it cannot be read: it is no regular file"`,
		`file=` + top + `/big/SKILL.md fault="the file is larger than 128KiB"`,
		`file=` + top + `/alias/SKILL.md fault="the name is \"good\", and the folder's is \"alias\"" line=2`,
	} {
		log.Says(t, want)
	}
	put(t, md("later", "d"), top, "later", skill.File)
	until(t, l, "later", func(s *skill.Set) bool { return names(s) == "good inner later" })
}

// Nothing is read by a link that leads out of the base, also not if the root itself is one.
func TestLibraryStaysInItsBase(t *testing.T) {
	t.Parallel()
	base, outside := t.TempDir(), t.TempDir()
	put(t, md("out", "d"), outside, "out", skill.File)
	must(t, os.Mkdir(filepath.Join(base, ".sidecar"), 0o700))
	must(t, os.Symlink(outside, filepath.Join(base, ".sidecar", "skills")))
	l := skill.Open(skill.Options{Roots: []skill.Root{{Path: filepath.Join(base, ".sidecar", "skills"), Base: base}}})
	if got := names(l.Current()); got != "" {
		t.Errorf("loaded %s", got)
	}
}

// Of skills with one name, that of the first root counts, and the other is told of.
func TestLibrarysPrecedence(t *testing.T) {
	t.Parallel()
	first, second, work, log := t.TempDir(), t.TempDir(), t.TempDir(), &await.Log{}
	put(t, md("pdf", "second"), second, "pdf", skill.File)
	put(t, md("pdf", "work"), work, "pdf", skill.File)
	put(t, md("word", "work"), work, "word", skill.File)
	put(t, "["+bridged("word.run", `{"exec":{"command":["cat"]}}`)+"]", work, "word", skill.Tools)
	l := followed(t, log, skill.Root{Path: first, Shown: true}, skill.Root{Path: second, Shown: true}, skill.Root{Path: work})
	if got := l.Current(); got.Lookup("pdf").Description != "second" || len(got.Lost()) != 1 {
		t.Errorf("%+v, lost %v", got.Lookup("pdf"), got.Lost())
	}
	log.Says(t, `another one of its name has precedence" file=`+work+`/pdf/SKILL.md winner=`+second+`/pdf/SKILL.md`)
	put(t, md("pdf", "first"), first, "pdf", skill.File)
	until(t, l, "first", func(s *skill.Set) bool { return s.Lookup("pdf").Description == "first" && len(s.Lost()) == 2 })
	must(t, os.RemoveAll(filepath.Join(first, "pdf")))
	must(t, os.RemoveAll(filepath.Join(second, "pdf")))
	until(t, l, "work", func(s *skill.Set) bool { return s.Lookup("pdf").Description == "work" })
	s := l.Current()
	if len(s.Shown()) != 0 || s.List() != "" || len(s.Find("pdf", 9)) != 0 || len(s.Lookup("word").Tools) != 0 {
		t.Errorf("skills that nobody vouches for are shown: %v %q %v", s.Shown(), s.List(), s.Lookup("word").Tools)
	}
}

// Five hundred skills have a line each, however long their descriptions are.
func TestList(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	for i := range 500 {
		put(t, md(fmt.Sprintf("s%03d", i), strings.Repeat("long ", 200)), top, fmt.Sprintf("s%03d", i), skill.File)
	}
	l := skill.Open(skill.Options{Roots: []skill.Root{{Path: top, Shown: true}}})
	list := l.Current().List()
	if n := strings.Count(list, "\n"); n != 500 || len(list) > 64<<10 || !strings.HasPrefix(list, "- s000: long long") || strings.Contains(list, "more") {
		t.Errorf("%d lines of %d bytes: %.200s", n, len(list), list)
	}
	for i := range 2 {
		put(t, md(fmt.Sprintf("t%d", i), "d"), top, fmt.Sprintf("t%d", i), skill.File)
	}
	list = skill.Open(skill.Options{Roots: []skill.Root{{Path: top, Shown: true}}}).Current().List()
	if n := strings.Count(list, "\n"); n != 501 || !strings.HasSuffix(list, "- and 2 more skills: ask for one by a word of its name or description\n") {
		t.Errorf("%d lines: …%s", n, list[max(0, len(list)-200):])
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	put(t, md("pdf-forms", "Fills forms."), top, "pdf-forms", skill.File)
	put(t, md("pdf-text", "Reads a PDF."), top, "pdf-text", skill.File)
	put(t, md("sheets", "Makes tables, or a pdf of them."), top, "sheets", skill.File)
	s := skill.Open(skill.Options{Roots: []skill.Root{{Path: top, Shown: true}}}).Current()
	for word, want := range map[string]string{
		"pdf": "pdf-forms pdf-text sheets", "pdf-form": "pdf-forms", "PDF-TXT": "pdf-text", "tables": "sheets", "sheet": "sheets", "word": "", "": "",
	} {
		if got := strings.Join(s.Find(word, 9), " "); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
	if got := s.Find("pdf", 2); len(got) != 2 {
		t.Errorf("two at most: %v", got)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	put(t, md("pdf", "d"), top, "pdf", skill.File)
	put(t, "[]", top, "pdf", skill.Tools)
	for _, f := range []string{"b.md", "a.md", ".env", "scripts/x.py", "scripts/SKILL.md", "1/2/3/deep", "1/2/3/4/deeper"} {
		put(t, "", top, "pdf", f)
	}
	must(t, os.Symlink("/etc/passwd", filepath.Join(top, "pdf", "link")))
	must(t, os.Symlink("..", filepath.Join(top, "pdf", "up")))
	one := skill.Open(skill.Options{Roots: []skill.Root{{Path: top, Shown: true}}}).Current().Lookup("pdf")
	files, more := one.Files()
	if want := []string{"1/2/3/deep", "a.md", "b.md", "scripts/SKILL.md", "scripts/x.py"}; !slices.Equal(files, want) || !more {
		t.Errorf("%q, more: %v", files, more)
	}
	for i := range 250 {
		put(t, "", top, "pdf", fmt.Sprintf("many/%03d", i))
	}
	if files, more = one.Files(); len(files) != 200 || !more {
		t.Errorf("%d files, more: %v", len(files), more)
	}
	must(t, os.RemoveAll(top))
	if files, more = one.Files(); len(files) != 0 || more {
		t.Errorf("of a folder that has gone: %q", files)
	}
}

// BenchmarkNewSkill is the time from the writing of a new skill among 500 to its being there.
func BenchmarkNewSkill(b *testing.B) {
	top := b.TempDir()
	for i := range 500 {
		put(b, md(fmt.Sprintf("s%03d", i), "d"), top, fmt.Sprintf("s%03d", i), skill.File)
	}
	old := time.Now().Add(-time.Hour)
	for i := range 500 {
		must(b, os.Chtimes(filepath.Join(top, fmt.Sprintf("s%03d", i), skill.File), old, old))
	}
	l := followed(b, nil, skill.Root{Path: top, Shown: true})
	var took []time.Duration
	for i := range b.N {
		name := fmt.Sprintf("new%d", i)
		began := time.Now()
		put(b, md(name, "d"), top, name, skill.File)
		until(b, l, name, func(s *skill.Set) bool { return s.Lookup(name) != nil })
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
