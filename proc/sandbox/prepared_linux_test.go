package sandbox_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// says runs a script in a sandbox and returns what it prints.
func says(t *testing.T, box *sandbox.Sandbox, user *syscall.Credential, script string) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p, err := box.Start("/bin/sh", []string{"sh", "-c", script}, &os.ProcAttr{
		Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Files: []*os.File{nil, w, w}, Sys: &syscall.SysProcAttr{Credential: user},
	})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Wait()
	out := new(strings.Builder)
	for b := make([]byte, 4096); ; {
		n, err := r.Read(b)
		out.Write(b[:n])
		if err != nil {
			return out.String()
		}
	}
}

// A start that was prepared holds what any start holds, for every user.
func TestAPreparedStartHoldsTheSame(t *testing.T) {
	needUnrestricted(t)
	dir := t.TempDir()
	for name, content := range map[string]string{"inside/in": "in", "out": "out"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for d := dir; d != "/"; d = filepath.Dir(d) { // for the other user
		if err := os.Chmod(d, 0o755); err != nil && d == dir {
			t.Fatal(err)
		}
		if filepath.Dir(d) == os.TempDir() || d == os.TempDir() {
			break
		}
	}
	const script = `id -u; grep -h 'NoNewPrivs\|Seccomp:\|CapEff' /proc/self/status; cat inside/in; cat out 2>/dev/null || echo refused`
	base := newSandbox(t, withProc(system()), sandbox.AllLayers)
	box := base.With(sandbox.More{Read: []sandbox.Root{{Base: dir, Path: "inside"}}})
	users := []*syscall.Credential{nil}
	if os.Geteuid() == 0 {
		users = append(users, &syscall.Credential{Uid: 65532, Gid: 65532})
	}
	for _, user := range users {
		in := "cd " + dir + " && " + script
		want := says(t, box, user, in)
		if !strings.Contains(want, "\nin\nrefused\n") || !strings.Contains(want, "NoNewPrivs:\t1") || !strings.Contains(want, "Seccomp:\t2") || !strings.Contains(want, "CapEff:\t0000000000000000") {
			t.Fatalf("a start that was not prepared says %q", want)
		}
		box.Prepare()
		if n := len(restricted()); n != 1 {
			t.Errorf("%d threads are prepared", n)
		}
		box.Prepare() // which finds it
		if got := says(t, box, user, in); got != want {
			t.Errorf("prepared: %q, else %q", got, want)
		}
		proctest.Eventually(t, "the end of the thread", func() bool { return len(restricted()) == 0 })
	}
}

// withProc lets programs read their own status.
func withProc(r sandbox.Rules) sandbox.Rules {
	r.Read = append(r.Read, sandbox.Root{Path: "/proc"})
	return r
}

// What is at a root when the program starts counts, not what was there before.
func TestAPreparedStartSeesAnotherRoot(t *testing.T) {
	dir := t.TempDir()
	r := system()
	r.Read = append(r.Read, sandbox.Root{Base: dir, Path: "root"})
	box := newSandbox(t, r, landlock)
	make := func(name, content string) {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "f"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := "cat " + filepath.Join(dir, "root", "f") + " 2>&1 || true"
	box.Prepare() // nothing is there
	make("root", "one")
	if got := says(t, box, nil, read); got != "one" {
		t.Errorf("a root that was not there: %q", got)
	}
	box.Prepare()
	if err := os.Rename(filepath.Join(dir, "root"), filepath.Join(dir, "old")); err != nil {
		t.Fatal(err)
	}
	make("root", "two")
	if got := says(t, box, nil, read+"; cat "+filepath.Join(dir, "old", "f")+" 2>/dev/null || echo , refused"); got != "two, refused\n" {
		t.Errorf("another root: %q", got)
	}
}

// Files of the system are not looked at one by one; what happens to them shows all the same.
func TestAPreparedStartSeesTheSystemChange(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(dir string) error
		want   string
	}{
		{"nothing", func(string) error { return nil }, "old"},
		{"a file is replaced", func(dir string) error {
			return errors.Join(os.WriteFile(dir+"/new", []byte("new"), 0o644), os.Rename(dir+"/new", dir+"/etc/file"))
		}, "new"},
		{"a link leads elsewhere", func(dir string) error {
			return errors.Join(os.Remove(dir+"/etc/file"), os.WriteFile(dir+"/other", []byte("new"), 0o644), os.Symlink(dir+"/other", dir+"/etc/file"))
		}, "new"},
		{"the directory is another", func(dir string) error {
			return errors.Join(os.Rename(dir+"/etc", dir+"/was"), os.Mkdir(dir+"/etc", 0o755), os.WriteFile(dir+"/etc/file", []byte("new"), 0o644))
		}, "new"},
		{"a file is made", func(dir string) error {
			return errors.Join(os.MkdirAll(dir+"/etc/to/come", 0o755), os.WriteFile(dir+"/etc/to/come/file", []byte("made"), 0o644))
		}, "oldmade"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := errors.Join(os.Mkdir(dir+"/etc", 0o755), os.WriteFile(dir+"/etc/file", []byte("old"), 0o644)); err != nil {
				t.Fatal(err)
			}
			r := system()
			r.Read = append(r.Read, sandbox.Root{Path: dir + "/etc/file"}, sandbox.Root{Path: dir + "/etc/to/come/file"})
			box := newSandbox(t, r, landlock)
			proctest.Eventually(t, "an age of the directory at which a look at it is enough", func() bool {
				info, err := os.Stat(dir + "/etc")
				return err != nil || time.Since(info.ModTime()) > sandbox.Settled
			})
			box.Prepare()
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			if got := says(t, box, nil, "cat "+dir+"/etc/file "+dir+"/etc/to/come/file 2>/dev/null"); got != c.want {
				t.Errorf("it reads %q instead of %q", got, c.want)
			}
		})
	}
}

// Close ends the thread, and what is prepared after it.
func TestCloseEndsWhatIsPrepared(t *testing.T) {
	needUnrestricted(t)
	box := newSandbox(t, system(), seccomp)
	box.Prepare()
	box.Close()
	box.Prepare()
	proctest.Eventually(t, "the end of the thread", func() bool { return len(restricted()) == 0 })
	if got := says(t, box, nil, "echo yes"); got != "yes\n" {
		t.Errorf("a closed one says %q", got)
	}
}

// Many starts at once share what is prepared, and none is started on a thread of another.
func TestManyPreparedStarts(t *testing.T) {
	needUnrestricted(t)
	box := newSandbox(t, system(), 0)
	const starts, atOnce = 200, 8
	room, failed := make(chan struct{}, atOnce), make(chan error, 2*starts)
	for i := range starts {
		room <- struct{}{}
		go func() {
			defer func() { <-room }()
			if i%2 == 0 {
				box.Prepare()
			}
			failed <- startTrue(box)
			if i%3 == 0 {
				failed <- exec.Command("/bin/true").Run() // on whatever thread
			}
		}()
	}
	for range atOnce {
		room <- struct{}{}
	}
	close(failed)
	for err := range failed {
		if err != nil {
			t.Error(err)
		}
	}
	box.Close()
	proctest.Eventually(t, "the end of the threads", func() bool { return len(restricted()) == 0 })
}
