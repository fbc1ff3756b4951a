package job_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

func TestOutbox(t *testing.T) {
	r := newRig(t, func(_ *job.Options, w *job.Work) { w.Reserved = func(id string) bool { return id == "result" } })
	res := r.run(t.Context(), sh(`cd "$SIDECAR_OUTBOX"; echo text > note.txt; echo forged > result; mkdir sub; printf '\000\001' > sub/data.bin
		ln -s /etc/passwd link; ln note.txt hard; mkfifo pipe; head -c 9000000 /dev/zero > big`))
	var got []string
	for _, u := range res.Left.Artifacts {
		got = append(got, u.Artifact.ID+" "+u.Artifact.Name)
	}
	// The note is the hard link's file.
	if strings.Join(got, ", ") != "outbox/result result, sub/data.bin sub/data.bin" || res.Left.Skipped != 5 {
		t.Errorf("%q and %d skipped", got, res.Left.Skipped)
	}
	if p := res.Left.Artifacts[1].Artifact.Parts[0]; p.Kind != a2a.PartRaw || string(p.Raw) != "\x00\x01" || p.Filename != "data.bin" {
		t.Errorf("sub/data.bin: %+v", p)
	}
}

// What a process puts in its outbox's place holds nobody, and leads nowhere.
func TestOutboxInWhosePlaceIsSomethingElse(t *testing.T) {
	for _, swap := range []string{`mkfifo "$SIDECAR_OUTBOX"`, `ln -s /etc "$SIDECAR_OUTBOX"`} {
		r := newRig(t, nil)
		res := r.run(t.Context(), sh(`rmdir "$SIDECAR_OUTBOX" && `+swap+` && echo swapped`))
		if r.said() != "swapped\n" || len(res.Left.Artifacts) != 0 {
			t.Errorf("%s: %q, %d artifacts", swap, r.said(), len(res.Left.Artifacts))
		}
	}
}

// What a process has left is published once, and not again with what the next one
// of its task leaves.
func TestOutboxOfTheNextTurn(t *testing.T) {
	r := newRig(t, nil)
	for _, turn := range []struct {
		script string
		want   int
	}{
		{`echo one > "$SIDECAR_OUTBOX/note.txt"; mkfifo "$SIDECAR_OUTBOX/pipe"`, 1}, {`true`, 0}, {`echo two > "$SIDECAR_OUTBOX/note.txt"`, 1},
	} {
		res := r.run(t.Context(), sh(turn.script))
		if len(res.Left.Artifacts) != turn.want || res.Left.Skipped != turn.want && turn.script[:3] == "tru" {
			t.Errorf("%s: %d artifacts, %d skipped", turn.script, len(res.Left.Artifacts), res.Left.Skipped)
		}
		r.files.Release(r.task)
		again, err := r.Folder(r.task.ID())
		if err != nil {
			t.Fatal(err)
		}
		r.files = again
		r.owner = r.NewOwner(job.Work{Task: r.task})
		r.reset()
	}
}

// An outbox that is collected while its owner goes on is empty again.
func TestOutboxOfASession(t *testing.T) {
	r := newRig(t, nil)
	for range 2 {
		if left := r.files.Collect(r.owner); len(left.Artifacts) != 0 {
			t.Fatalf("%+v", left)
		}
		if err := os.WriteFile(filepath.Join(r.files.Dir(), "out", "note.txt"), []byte("one"), 0o600); err != nil {
			t.Fatal(err)
		}
		if left := r.files.Collect(r.owner); len(left.Artifacts) != 1 || left.Artifacts[0].Artifact.Parts[0].Text != "one" {
			t.Errorf("%+v", left)
		}
	}
}

// A folder stays as long as its task waits, and is removed with the task.
func TestFolderIsReleased(t *testing.T) {
	r := newRig(t, nil)
	dir := r.files.Dir()
	r.files.Release(r.task)
	again, err := r.Folder(r.task.ID())
	if err != nil || again.Dir() != dir {
		t.Fatalf("%v, %v", again, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "message.json")); err != nil {
		t.Error(err)
	}
	if err := r.task.Finish(a2a.StateCompleted, nil, nil); err != nil {
		t.Fatal(err)
	}
	again.Release(r.task)
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder outlives its task")
	}
}

// Without a runtime directory there is no folder, and nothing needs one.
func TestNoFolder(t *testing.T) {
	r := newRig(t, func(o *job.Options, _ *job.Work) { o.RuntimeDir = "" })
	if r.files != nil {
		t.Fatal("a folder was made")
	}
	if r.run(t.Context(), sh(`echo "${SIDECAR_OUTBOX-none}"`)); r.said() != "none\n" {
		t.Errorf("%q", r.said())
	}
	if _, err := r.files.Receive(a2a.Part{Kind: a2a.PartRaw}, 0); err == nil {
		t.Error("a file was received")
	}
}

func TestReceivedFiles(t *testing.T) {
	r := newRig(t, nil)
	for i, c := range []struct{ name, media, want string }{
		{"../../etc/-pass wd;\x1b.txt", "", "pass_wd__.txt"},
		{`C:\photos\a.png`, "", "a.png"},
		{"a.png", "", "a-2.png"},
		{"..", "application/json", "part-4.json"},
		{strings.Repeat("é", 100) + ".tar.gz", "", strings.Repeat("é", 48) + ".gz"},
	} {
		path, err := r.files.Receive(a2a.Part{Kind: a2a.PartRaw, Raw: []byte(c.want), Filename: c.name, MediaType: c.media}, i)
		if err != nil || filepath.Base(path) != c.want {
			t.Errorf("%q is %q, %v", c.name, path, err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != c.want {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
}

// The directory of all folders does not belong to a process of another user, or it
// could lead us to write through a link of its own.
func TestAnotherUserKeepsToItsFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	base, err := os.MkdirTemp("", "jobs-of-another-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	if err := os.Chmod(base, 0o711); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *job.Options, _ *job.Work) {
		o.User, o.RuntimeDir = &proc.User{UID: 65532, GID: 65532}, base
	})
	j := sh(`own=$(dirname "$SIDECAR_OUTBOX"); cd "$own" && head -c 1 "$SIDECAR_MESSAGE_FILE" && echo x > "$SIDECAR_OUTBOX/file"
		mkdir "$own/../planted" && echo planted; mv "$own" "$own-moved" && echo moved; true`)
	j.Dir = "/"
	if res := r.run(t.Context(), j); r.said() != "{" || len(res.Left.Artifacts) != 1 {
		t.Errorf("%q, %+v", r.said(), res.Left)
	}
}

// What a call exchanges by the outbox is neither published nor counted, and it stays when the rest
// is collected: the call goes on.
func TestOutboxKeepsWhatCallsExchange(t *testing.T) {
	r := newRig(t, nil)
	name := ".sidecar-frame-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	res := r.run(t.Context(), sh(`cd "$SIDECAR_OUTBOX"; echo '{}' > `+name+`; echo x > .sidecar-frame-other; mkdir sub; echo y > sub/`+name))
	if len(res.Left.Artifacts) != 2 || res.Left.Skipped != 0 {
		t.Errorf("%+v, %d skipped", res.Left.Artifacts, res.Left.Skipped)
	}
	box := r.files.Outbox()
	left, err := os.ReadDir(box.Path)
	if err != nil || len(left) != 1 || left[0].Name() != name {
		t.Errorf("left %v, %v", left, err)
	}
	if again := r.files.Collect(r.owner); len(again.Artifacts)+again.Skipped != 0 {
		t.Errorf("again: %+v", again)
	}
	if err := r.files.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := box.Open(); err == nil {
		t.Error("the outbox of a folder that is gone can be opened")
	}
}
