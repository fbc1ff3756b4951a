package policyfile_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/policyfile"
)

const (
	allows = `{"rules":[{"permission":"acme.*","action":"allow"}]}`
	denies = `{"rules":[{"permission":"acme.*","action":"deny","reason":"not today"}]}`
	broken = `{"rules":[{"permission":"acme.*","action":"alow"}]}`
)

func write(t *testing.T, path, text string) {
	t.Helper()
	next := path + ".next"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
}

// judged counts what became of the files.
type judged struct {
	mu             sync.Mutex
	taken, refused int
	last           error
}

func (j *judged) note(_ *policy.Set, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.last = err; err != nil {
		j.refused++
	} else {
		j.taken++
	}
}

func (j *judged) counts() (taken, refused int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.taken, j.refused
}

// followed is a Source that runs, and what it tells.
func followed(t *testing.T, files policyfile.Files, o policyfile.Options) (*policyfile.Source, *judged) {
	t.Helper()
	j := &judged{}
	o.Judged, o.Poll = j.note, 20*time.Millisecond
	s, err := policyfile.Open(files, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	return s, j
}

func verdict(t *testing.T, s policy.Decider) policy.Verdict {
	t.Helper()
	return s.Decide(t.Context(), policy.Request{Tool: &manifest.Tool{Name: "acme.deploy"}, Caller: "ann"}).Verdict
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	good, bad, link := filepath.Join(dir, "good.json"), filepath.Join(dir, "bad.json"), filepath.Join(dir, "dir")
	write(t, good, allows)
	write(t, bad, broken)
	if err := os.Mkdir(link, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	err := errors.Join(os.Mkdir(".sidecar", 0o700), os.WriteFile("inside", []byte(allows), 0o600), os.Symlink("../inside", ".sidecar/inside"),
		os.Symlink(bad, ".sidecar/outside"), syscall.Mkfifo(".sidecar/pipe", 0o600))
	if err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "large.json")
	write(t, large, strings.Repeat(" ", 1<<20)+allows)
	for name, c := range map[string]struct {
		files policyfile.Files
		want  policy.Verdict
		err   string
	}{
		"nothing":                {policyfile.Files{}, policy.Allow, ""},
		"a preset":               {policyfile.Files{Policy: "preset:ask"}, policy.Ask, ""},
		"a preset that is not":   {policyfile.Files{Policy: "preset:asks"}, 0, "preset:ask"},
		"a file":                 {policyfile.Files{Policy: good}, policy.Allow, ""},
		"a bad file":             {policyfile.Files{Policy: bad}, 0, "alow"},
		"a file that is not":     {policyfile.Files{Policy: good + "x"}, 0, "no such file"},
		"a directory":            {policyfile.Files{Policy: link}, 0, "not a regular file"},
		"a large file":           {policyfile.Files{Policy: large}, 0, "more than 1 MiB"},
		"a project that is not":  {policyfile.Files{Policy: good, Project: good + "x"}, policy.Allow, ""},
		"a project that is bad":  {policyfile.Files{Policy: good, Project: bad}, 0, "alow"},
		"a project, and nothing": {policyfile.Files{Project: good}, policy.Allow, ""},
		"a link in the project":  {policyfile.Files{Project: ".sidecar/inside"}, policy.Allow, ""},
		"a link out of it":       {policyfile.Files{Policy: good, Project: ".sidecar/outside"}, 0, "escapes"},
		"a pipe in it":           {policyfile.Files{Policy: good, Project: ".sidecar/pipe"}, 0, "not a regular file"},
	} {
		s, err := policyfile.Open(c.files, policyfile.Options{})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case verdict(t, s) != c.want:
			t.Errorf("%s: %s, want %s", name, verdict(t, s), c.want)
		}
	}
}

// An edit is in force soon; a bad one, and a file that is gone, change nothing.
func TestRunFollows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.json")
	write(t, file, allows)
	s, j := followed(t, policyfile.Files{Policy: file}, policyfile.Options{})

	write(t, file, denies)
	await.True(t, "the edit", func() bool { return verdict(t, s) == policy.Deny })

	write(t, file, broken)
	await.True(t, "the bad edit to be told", func() bool { return s.Last() != nil })
	if verdict(t, s) != policy.Deny || !strings.Contains(s.Last().Error(), "alow") {
		t.Errorf("%s after a bad edit, %v", verdict(t, s), s.Last())
	}

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	await.True(t, "the missing file to be told", func() bool { return s.Last() != nil && strings.Contains(s.Last().Error(), "no such file") })
	if verdict(t, s) != policy.Deny {
		t.Errorf("%s without the file", verdict(t, s))
	}

	write(t, file, allows)
	await.True(t, "the file's return", func() bool { return verdict(t, s) == policy.Allow })
	if s.Last() != nil {
		t.Errorf("still %v", s.Last())
	}
	if taken, refused := j.counts(); taken != 2 || refused != 2 {
		t.Errorf("%d sets were taken and %d refused, want 2 and 2", taken, refused)
	}
}

// The project's file may come and go. It makes things stricter, and nothing milder.
func TestRunFollowsTheProject(t *testing.T) {
	dir := t.TempDir()
	file, project := filepath.Join(dir, "policy.json"), filepath.Join(dir, ".sidecar", "policy.json")
	write(t, file, `{"rules":[{"permission":"acme.*","action":"ask"}]}`)
	s, _ := followed(t, policyfile.Files{Policy: file, Project: project}, policyfile.Options{})
	if verdict(t, s) != policy.Ask {
		t.Fatal(verdict(t, s))
	}
	if err := os.Mkdir(filepath.Dir(project), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, project, denies)
	await.True(t, "the project's rules", func() bool { return verdict(t, s) == policy.Deny })
	before := s.Set().Revision()
	write(t, project, allows)
	await.True(t, "its next rules", func() bool { return s.Set().Revision() != before })
	if verdict(t, s) != policy.Ask {
		t.Errorf("the project lifts an ask: %s", verdict(t, s))
	}
	write(t, project, denies)
	await.True(t, "the project's rules", func() bool { return verdict(t, s) == policy.Deny })
	if err := os.Remove(project); err != nil {
		t.Fatal(err)
	}
	await.True(t, "the manifest's rules alone", func() bool { return verdict(t, s) == policy.Ask })
}

// A bad file in the workspace, which the agent may write, keeps nobody from making the operator's
// rules stricter, and the project's rules stay as they were.
func TestBadProjectHoldsUpNothing(t *testing.T) {
	dir := t.TempDir()
	file, project := filepath.Join(dir, "policy.json"), filepath.Join(dir, "project.json")
	write(t, file, allows)
	write(t, project, `{"rules":[{"permission":"acme.*","action":"ask"}]}`)
	s, _ := followed(t, policyfile.Files{Policy: file, Project: project}, policyfile.Options{})
	write(t, project, broken)
	write(t, file, denies)
	await.True(t, "the operator's edit", func() bool { return verdict(t, s) == policy.Deny })
	s.Reload() // so that it is told at once
	await.True(t, "the bad project to be told", func() bool { return s.Last() != nil && strings.Contains(s.Last().Error(), "project.json") })
	write(t, file, allows)
	await.True(t, "the operator's next edit", func() bool { return verdict(t, s) == policy.Ask })
	if s.Last() == nil {
		t.Error("the bad project is not told any more")
	}
	write(t, project, allows)
	await.True(t, "the good project", func() bool { return s.Last() == nil })
}

// A reload that is asked for judges at once, and an unchanged file is not told again.
func TestReload(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.json")
	write(t, file, allows)
	s, j := followed(t, policyfile.Files{Policy: file}, policyfile.Options{Debounce: time.Hour}) // no event is in time
	write(t, file, denies)
	s.Reload()
	await.True(t, "the reload", func() bool { return verdict(t, s) == policy.Deny })
	write(t, file, broken)
	s.Reload()
	await.True(t, "the bad file to be told", func() bool { return s.Last() != nil })
	s.Reload()
	s.Reload()
	write(t, file, allows)
	s.Reload()
	await.True(t, "the good file", func() bool { return verdict(t, s) == policy.Allow })
	if taken, refused := j.counts(); taken != 2 || refused != 1 {
		t.Errorf("%d sets were taken and %d refused, want 2 and 1", taken, refused)
	}
}
