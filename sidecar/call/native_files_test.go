package call_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// put makes a file in the workspace.
func (b *bar) put(name, content string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
		b.t.Fatal(err)
	}
	return path
}

func (b *bar) link(to, name string) {
	b.t.Helper()
	if err := os.Symlink(to, filepath.Join(b.dir, name)); err != nil {
		b.t.Fatal(err)
	}
}

const allowAll = `{"permission":"*","action":"allow"}`

func TestNativeReadFile(t *testing.T) {
	b := newBar(t, allowAll)
	path := b.put("sub/a.txt", "one\ntwo\nthree")
	b.put("big", strings.Repeat("x", peer.MaxFile))
	b.put("bigger", strings.Repeat("x", peer.MaxFile+1))
	b.put("binary", "a\x00b")
	b.put("latin1", "caf\xe9")
	b.link("/etc/passwd", "passwd")
	b.link("sub", "also")
	b.link("/etc", "etc")
	if err := syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		path        string
		line, limit int
		want, err   string
	}{
		{path, 0, 0, "one\ntwo\nthree", ""},
		{"sub/a.txt", 1, 1, "one\n", ""},
		{"sub/a.txt", 2, 0, "two\nthree", ""},
		{"sub/a.txt", 2, 5, "two\nthree", ""},
		{"sub/a.txt", 3, 1, "three", ""},
		{"sub/a.txt", 4, 1, "", ""},
		{"sub/a.txt", -1, -1, "one\ntwo\nthree", ""},
		{"also/a.txt", 0, 0, "one\ntwo\nthree", ""}, // it leads to what is judged
		{"big", 0, 0, strings.Repeat("x", peer.MaxFile), ""},
		{"bigger", 0, 0, "", "it has 16777217 bytes, and 16MiB is the most"},
		{"binary", 0, 0, "", "it is not text in UTF-8"},
		{"latin1", 0, 0, "", "it is not text in UTF-8"},
		{"pipe", 0, 0, "", "it is no regular file"},
		{"sub", 0, 0, "", "it is a directory"},
		{".", 0, 0, "", "it is a directory"},
		{"none", 0, 0, "", "no such file"},
		{"sub/a.txt/x", 0, 0, "", `"a.txt" is no directory`},
		{"passwd", 0, 0, "", "outside of the directories of the task"},
		{"etc/passwd", 0, 0, "", "outside of the directories of the task"},
		{"/etc/passwd", 0, 0, "", "outside of the directories of the task"},
		{"../x", 0, 0, "", "outside of the directories of the task"},
		{"etc/../a", 0, 0, "", `goes up with ".." from a link`},
		{"~/a", 0, 0, "", "begins with ~"},
		{"a\x00b", 0, 0, "", "NUL"},
	} {
		got, err := b.judge.ReadFile(t.Context(), tc.path, tc.line, tc.limit)
		if got != tc.want || (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s %d %d: %.60q %v, want %.60q %s", tc.path, tc.line, tc.limit, got, err, tc.want, tc.err)
		}
	}
}

// Reading is refused by a rule that denies it and asked about by one that asks for it. A default that asks
// does not stop an agent that reads its files by itself.
func TestNativeReadIsJudged(t *testing.T) {
	for name, tc := range map[string]struct {
		rules string
		tweak func(*call.Options)
		want  string // of the error
	}{
		"no rule":                {`{"permission":"acme.*","action":"allow"}`, nil, ""},
		"a rule denies":          {`{"permission":"fs.read","pattern":"{workspace}/secrets/**","action":"deny","reason":"secret"}`, nil, "this is not allowed: secret"},
		"a rule asks":            {`{"permission":"fs.read","pattern":"{workspace}/secrets/**","action":"ask"}`, nil, "nobody can be asked"},
		"a rule asks for all":    {askAll, nil, "nobody can be asked"},
		"a rule denies agents":   {`{"permission":"agent.read","action":"deny","reason":"no"}`, nil, "not allowed: no"},
		"the watchdog asks":      {`{"permission":"acme.*","action":"allow"}`, watching(policy.Ask), "nobody can be asked"},
		"the watchdog denies":    {allowAll, watching(policy.Deny), "the watchdog says so"},
		"no policy":              {"", func(o *call.Options) { o.Decider = nil }, ""},
		"no policy, but a guard": {"", func(o *call.Options) { o.Decider = nil; watching(policy.Deny)(o) }, "the watchdog says so"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBar(t, tc.rules, func(o *call.Options) {
				o.Headless = true
				if tc.tweak != nil {
					tc.tweak(o)
				}
			})
			b.put("secrets/a", "x")
			got, err := b.judge.ReadFile(t.Context(), "secrets/a", 0, 0)
			want := []string{"before agent.read", "after agent.read final"}
			if tc.want != "" {
				want = []string{"refused agent.read denied"}
			}
			if (err == nil) != (tc.want == "") || err == nil && got != "x" || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%q %v, want %q", got, err, tc.want)
			}
			if got := b.audit.told(t, b); !slices.Equal(got, want) {
				t.Errorf("the audit has %q", got)
			}
		})
	}
}

func TestNativeWriteFile(t *testing.T) {
	b, elsewhere := newBar(t, allowAll), filepath.Join(t.TempDir(), "x")
	path := b.put("old", "before")
	if err := os.Chmod(path, 0o754); err != nil {
		t.Fatal(err)
	}
	was, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer was.Close()
	b.link("/etc", "etc")
	b.link("none", "dangling")
	b.put("target", "target")
	b.link("target", "inside")
	for _, tc := range []struct{ path, content, err string }{
		{"old", "after", ""},
		{"new/deep/a", "new", ""},
		{"inside", "through", ""},
		{"dangling", "made", ""},
		{"empty", "", ""},
		{"x", "a\x00b", "not text"},
		{"x", strings.Repeat("x", peer.MaxFile+1), "16MiB is the most"},
		{"etc/x", "x", "outside"},
		{elsewhere, "x", "outside"},
		{".", "x", "it is a directory"},
		{"new/deep", "x", "it is a directory"},
		{"old/x", "x", `"old" is no directory`},
	} {
		err := b.judge.WriteFile(t.Context(), tc.path, tc.content)
		if (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: %v, want %s", tc.path, err, tc.err)
		}
	}
	for name, want := range map[string]string{"old": "after", "new/deep/a": "new", "target": "through", "none": "made", "empty": ""} {
		if got, err := os.ReadFile(filepath.Join(b.dir, name)); err != nil || string(got) != want {
			t.Errorf("%s has %q %v", name, got, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o754 {
		t.Errorf("the mode is %v %v", info.Mode(), err)
	}
	var kept [6]byte
	if _, err := was.ReadAt(kept[:], 0); err != nil || string(kept[:]) != "before" {
		t.Errorf("whoever reads the old file sees %q %v", kept, err)
	}
	if info, err := os.Lstat(filepath.Join(b.dir, "inside")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	_ = filepath.WalkDir(b.dir, func(path string, _ fs.DirEntry, _ error) error {
		if strings.HasSuffix(path, ".tmp") {
			t.Errorf("%s is left", path)
		}
		return nil
	})
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("a file outside was written")
	}
}

// The directories that a client named for the task are roots too.
func TestNativeAdHocDirectories(t *testing.T) {
	b, more := newBar(t, allowAll), workspaceOf(t)
	m := &a2a.Message{ID: "m2", Role: a2a.RoleUser, Metadata: a2a.Metadata{capability.DirectoriesURI: fmt.Appendf(nil, "[%q]", more)}}
	with := b.p.Judge(b.tasks.Create("ann", "x", m, nil))
	defer with.Close()
	if err := with.WriteFile(t.Context(), more+"/a", "x"); err != nil {
		t.Error(err)
	}
	if err := b.judge.WriteFile(t.Context(), more+"/a", "x"); err == nil {
		t.Error("another task writes there too")
	}
}

// What the turn was allowed is not asked for again; a rule that denies it since is heard.
func TestNativeWriteAfterPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBar(t, `{"permission":"fs.write","pattern":"{workspace}/no/**","action":"deny","reason":"never"},`+askAll)
		out := b.permit(t.Context(), peer.Action{Kind: peer.Edit, Writes: []string{"a"}, Diffs: []peer.Diff{{Path: "a", New: "x"}}})
		synctest.Wait()
		b.answer("once")
		if got := <-out; !got.Allowed {
			t.Fatal(got)
		}
		for range 2 {
			if err := b.judge.WriteFile(t.Context(), b.dir+"/a", "x"); err != nil {
				t.Error(err)
			}
		}
		for path, answer := range map[string]string{"b": "reject", "c": "once"} {
			done := make(chan error, 1)
			go func() { done <- b.judge.WriteFile(t.Context(), path, "x") }()
			synctest.Wait()
			if !b.turn.Asking() {
				t.Fatalf("%s is not asked for: %v", path, <-done)
			}
			b.answer(answer)
			if err := <-done; (err == nil) != (answer == "once") {
				t.Errorf("%s: %v", path, err)
			}
		}
		if err := b.judge.WriteFile(t.Context(), "no/a", "x"); err == nil || !strings.Contains(err.Error(), "never") {
			t.Error(err)
		}
		other := b.p.Judge(b.turn)
		done := make(chan error, 1)
		go func() { done <- other.WriteFile(t.Context(), "a", "x") }()
		synctest.Wait()
		if !b.turn.Asking() {
			t.Error("another turn may write what this one was allowed")
		}
		b.answer("reject")
		<-done
		want := []string{"before agent.edit", "after agent.edit permitted", "before agent.edit", "after agent.edit final"}
		if got := b.audit.told(t, b); !slices.Equal(got[:4], want) {
			t.Errorf("the audit has %q", got)
		}
	})
}

// With --user, the agent reads and writes through us only what its user may, and what is new is that user's.
func TestNativeFilesOfUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	b := newBar(t, allowAll, func(o *call.Options) { o.User = &proc.User{UID: 4711, GID: 4711} })
	for dir := b.dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	secret := b.put("secret", "x")
	if err := os.Chmod(secret, 0o600); err != nil {
		t.Fatal(err)
	}
	hidden := b.put("hidden/a", "x")
	if err := os.Chmod(filepath.Dir(hidden), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{secret, hidden} {
		if _, err := b.judge.ReadFile(t.Context(), path, 0, 0); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s is read: %v", path, err)
		}
		if err := b.judge.WriteFile(t.Context(), path, "y"); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s is written: %v", path, err)
		}
	}
	if err := b.judge.WriteFile(t.Context(), "new", "y"); err == nil {
		t.Error("a file is made where the user may make none")
	}
	if err := os.Chown(b.dir, 4711, 4711); err != nil {
		t.Fatal(err)
	}
	if err := b.judge.WriteFile(t.Context(), "deep/new", "y"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"deep", "deep/new"} {
		info, err := os.Stat(filepath.Join(b.dir, path))
		if err != nil {
			t.Fatal(err)
		}
		if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 4711 || owner.Gid != 4711 {
			t.Errorf("%s is %d:%d's", path, owner.Uid, owner.Gid)
		}
	}
}

// What is opened is what was judged: whatever comes into its way meanwhile is not followed.
func TestNativeFilesAreThoseThatWereJudged(t *testing.T) {
	for name, swap := range map[string]func(b *bar, at func(string) string) error{
		"a directory": func(_ *bar, at func(string) string) error {
			return errors.Join(os.Rename(at("pub"), at("was")), os.Symlink("secrets", at("pub")))
		},
		"the file": func(_ *bar, at func(string) string) error {
			return errors.Join(os.Rename(at("pub/a"), at("was")), os.Symlink("../secrets/a", at("pub/a")))
		},
		"the root": func(_ *bar, at func(string) string) error {
			return errors.Join(os.Rename(at(""), at("../was")), os.Symlink("was/secrets", at("")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, write := range []bool{false, true} {
				var b *bar
				place := filepath.Join(workspaceOf(t), "ws")
				if err := os.Mkdir(place, 0o755); err != nil {
					t.Fatal(err)
				}
				b = newBar(t, allowAll, func(o *call.Options) {
					o.Workspace = place
					o.Decider = deciderFunc(func(policy.Request) policy.Decision {
						if err := swap(b, func(name string) string { return filepath.Join(place, name) }); err != nil {
							t.Error(err)
						}
						return policy.Decision{Verdict: policy.Allow}
					})
				})
				b.dir = place
				b.put("pub/a", "public")
				b.put("secrets/a", "secret")
				b.put("secrets/pub/a", "secret")
				secret, err := os.Open(filepath.Join(place, "secrets", "a"))
				if err != nil {
					t.Fatal(err)
				}
				defer secret.Close()
				if write {
					err = b.judge.WriteFile(t.Context(), "pub/a", "new")
				} else {
					_, err = b.judge.ReadFile(t.Context(), "pub/a", 0, 0)
				}
				if err == nil || !strings.Contains(err.Error(), "a symbolic link has come into its way") {
					t.Errorf("write %v: %v", write, err)
				}
			}
		})
	}
}
