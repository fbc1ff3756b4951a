package channel_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// boxed is an owner whose process has an outbox.
type boxed struct {
	owner
	box *channel.Outbox
}

func (b *boxed) Outbox() *channel.Outbox { return b.box }

// withOutbox returns an owner with an outbox, and the outbox.
func withOutbox(t *testing.T) (*boxed, string) {
	t.Helper()
	dir := t.TempDir()
	return &boxed{box: &channel.Outbox{Path: dir, UID: os.Geteuid(), GID: os.Getegid(), Open: func() (*os.File, error) { return os.Open(dir) }}}, dir
}

// filesMost is the longest file of listenFiles.
const filesMost = 8 << 20

func listenFiles(t *testing.T) (*channel.Server, *caller) {
	t.Helper()
	c := &caller{}
	s, err := channel.Listen(channel.Options{RuntimeDir: shortDir(t), UID: -1, Caller: c, MaxFile: filesMost})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, c
}

// nothingIn expects that a directory is empty.
func nothingIn(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the outbox: %v, %v", left, err)
	}
}

// long is a JSON string of n bytes.
func long(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", n-2) + `"`) }

// frameName is the name of a file for a frame.
const frameName = ".sidecar-frame-ABCDEFGHIJKLMNOPQRSTUVWXY2"

// Arguments and results that exceed a frame come whole, and nothing stays in the outbox.
func TestLongCallsGoByFiles(t *testing.T) {
	s, _ := listenFiles(t)
	o, dir := withOutbox(t)
	client := dial(t, s, s.Grant(o).Token(), channel.Capabilities{})
	for _, n := range []int{10, channel.MaxFrame - 4096, channel.MaxFrame - 200, channel.MaxFrame, 3 << 20, filesMost - 8<<10} {
		arguments := long(n)
		called, err := client.CallTool(t.Context(), channel.Call{Name: "acme.echo", Arguments: arguments, Files: true})
		if err != nil || called.TaskID != "t-1" || !strings.HasPrefix(string(called.Envelope), `{"type":"output","data":`+string(arguments)+`,`) {
			t.Errorf("%d bytes: %.100s, %v", n, called.Envelope, err)
		}
		nothingIn(t, dir)
	}
	called, err := client.CallTool(t.Context(), channel.Call{Name: "acme.long", Files: true})
	if err != nil || len(called.Envelope) < channel.MaxFrame {
		t.Errorf("a long result: %d bytes, %v", len(called.Envelope), err)
	}
	if _, err := client.CallTool(t.Context(), channel.Call{Name: "acme.echo", Arguments: long(filesMost + 1), Files: true}); err == nil || !strings.Contains(err.Error(), "at most 8388608 are taken (--max-body)") {
		t.Errorf("arguments that are too long: %v", err)
	}
	if _, err := client.CallTool(t.Context(), channel.Call{Name: "acme.echo", Arguments: long(filesMost), Files: true}); err == nil || !strings.Contains(err.Error(), "longer than the 8388608") {
		t.Errorf("a result that is too long: %v", err)
	}
	nothingIn(t, dir)
}

// Who does not say that it takes files gets none, and has none taken.
func TestFilesAreAskedFor(t *testing.T) {
	s, _ := listenFiles(t)
	o, dir := withOutbox(t)
	client := dial(t, s, s.Grant(o).Token(), channel.Capabilities{})
	for _, call := range []channel.Call{{Name: "acme.long"}, {Name: "acme.echo", Arguments: long(3 << 20)}} {
		if _, err := client.CallTool(t.Context(), call); err == nil || !strings.Contains(err.Error(), "frame longer than the limit") {
			t.Errorf("%s: %v", call.Name, err)
		}
	}
	nothingIn(t, dir)
	without := dial(t, s, s.Grant(&owner{}).Token(), channel.Capabilities{})
	for _, call := range []channel.Call{{Name: "acme.long", Files: true}, {Name: "acme.echo", Arguments: long(3 << 20), Files: true}} {
		if _, err := without.CallTool(t.Context(), call); err == nil || !strings.Contains(err.Error(), "frame longer than the limit") {
			t.Errorf("without an outbox, %s: %v", call.Name, err)
		}
	}
	p := connect(t, s)
	p.initialize(s.Grant(&owner{}).Token(), `{}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"acme.echo","argumentsFile":"` + frameName + `"}}`)
	if line := p.wants(channel.ErrInvalidParams.Code); !strings.Contains(line, "no outbox") {
		t.Error(line)
	}
}

// What is not a plain file of the program's user is refused, says what it is, and is gone after that.
func TestBadArgumentsFiles(t *testing.T) {
	s, c := listenFiles(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(`{"secret":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(data string) func(path string) error {
		return func(path string) error { return os.WriteFile(path, []byte(data), 0o600) }
	}
	for want, make := range map[string]func(path string) error{
		"is not there":                           func(string) error { return nil },
		"is a link":                              func(path string) error { return os.Symlink(secret, path) },
		"has a second name":                      func(path string) error { return os.Link(secret, path) },
		"is not a plain file: it is a FIFO":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"is not a plain file: it is a directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"is not JSON":                            write(`{"a":`),
		"has 8388609 bytes, at most 8388608 are taken (--max-body)": write(string(long(filesMost + 1))),
		"belongs to another user":                                   write(`{}`),
	} {
		o, dir := withOutbox(t)
		if want == "belongs to another user" {
			o.box.UID++
		}
		if err := make(filepath.Join(dir, frameName)); err != nil {
			t.Fatal(err)
		}
		p := connect(t, s)
		p.initialize(s.Grant(o).Token(), `{}`)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"acme.echo","argumentsFile":"` + frameName + `"}}`)
		if line := p.wants(channel.ErrInvalidParams.Code); !strings.Contains(line, "argumentsFile: the file "+frameName+" of the outbox "+want) {
			t.Errorf("want %q: %s", want, line)
		}
		if calls := o.take(); len(calls) > 0 {
			t.Errorf("%s: called %v", want, calls)
		}
		nothingIn(t, dir)
	}
	if _, err := os.Stat(secret); err != nil {
		t.Error(err)
	}
	o, _ := withOutbox(t)
	p := connect(t, s)
	p.initialize(s.Grant(o).Token(), `{}`)
	for params, want := range map[string]string{
		`"argumentsFile":"../secret"`:                              "is not the name of a file for a frame",
		`"argumentsFile":"note.json"`:                              "is not the name of a file for a frame",
		`"argumentsFile":"` + frameName + `/x"`:                    "is not the name of a file for a frame",
		`"argumentsFile":"` + frameName + `","arguments":{"a":1}}`: "does not go with arguments",
	} {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"acme.echo",` + strings.TrimSuffix(params, "}") + `}}`)
		if line := p.line(); !strings.Contains(line, want) {
			t.Errorf("%s: %s", params, line)
		}
	}
	c.idle(t)
}

// A result whose file is not what it was is an error that says so.
func TestBadResultFiles(t *testing.T) {
	s, _ := listenFiles(t)
	o, dir := withOutbox(t)
	p := connect(t, s)
	p.initialize(s.Grant(o).Token(), `{}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"acme.long","files":true}}`)
	var r struct {
		Result struct {
			Meta struct{ TaskID, File string } `json:"_meta"`
		}
	}
	line := p.line()
	if err := json.Unmarshal([]byte(line), &r); err != nil || r.Result.Meta.TaskID != "t-1" || !channel.FrameFile(r.Result.Meta.File) {
		t.Fatalf("%.200s, %v", line, err)
	}
	path := filepath.Join(dir, r.Result.Meta.File)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() <= channel.MaxFrame {
		t.Errorf("%v, %v", info, err)
	}
	p.Close()
	await.True(t, "what was not read is removed", func() bool { _, err := os.Stat(path); return os.IsNotExist(err) })

	// The outbox of the client is another directory than the sidecar's: the file is not there.
	o.box.Path = t.TempDir()
	client := dial(t, s, s.Grant(o).Token(), channel.Capabilities{})
	if _, err := client.CallTool(t.Context(), channel.Call{Name: "acme.long", Files: true}); err == nil ||
		!strings.Contains(err.Error(), "the call has ended, but its result cannot be read") || !strings.Contains(err.Error(), "is not there") {
		t.Errorf("a vanished result: %v", err)
	}
	o.box.Path = filepath.Join(dir, "gone")
	client = dial(t, s, s.Grant(o).Token(), channel.Capabilities{})
	if _, err := client.CallTool(t.Context(), channel.Call{Name: "acme.echo", Arguments: long(3 << 20), Files: true}); err == nil || !strings.Contains(err.Error(), "cannot be written into the outbox") {
		t.Errorf("without the directory: %v", err)
	}
}

// An agent that does not read its results gets no more files than MaxUnread; the next result is
// what fits a frame.
func TestUnreadResults(t *testing.T) {
	s, _ := listenFiles(t)
	o, dir := withOutbox(t)
	p := connect(t, s)
	p.initialize(s.Grant(o).Token(), `{}`)
	for i := range channel.MaxUnread + 1 {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"acme.long","files":true}}`, i))
		if line := p.line(); strings.Contains(line, `"file":`) != (i < channel.MaxUnread) {
			t.Errorf("result %d: %.200s", i, line)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != channel.MaxUnread {
		t.Errorf("%d files", len(left))
	}
	p.Close()
	await.True(t, "they are removed", func() bool { left, _ := os.ReadDir(dir); return len(left) == 0 })
}

// The memory of arguments that came by files is bounded, for a program and for all.
func TestTooManyLongCalls(t *testing.T) {
	s, c := listenFiles(t)
	hold := func() (refused int) {
		o, dir := withOutbox(t)
		p := connect(t, s)
		p.initialize(s.Grant(o).Token(), `{}`)
		if err := os.WriteFile(filepath.Join(dir, frameName), []byte(`{}`), 0o600); err != nil {
			t.Fatal(err)
		}
		before := c.running.Load()
		for i := range channel.MaxFiles + 1 {
			if err := os.WriteFile(filepath.Join(dir, frameName), []byte(`{}`), 0o600); err != nil {
				t.Fatal(err)
			}
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"acme.wait","argumentsFile":%q}}`, i, frameName))
			if before+int64(i) < channel.MaxAllFiles && i < channel.MaxFiles {
				await.True(t, "the call runs", func() bool { return c.running.Load() == before+int64(i)+1 })
				continue
			}
			refused++
			if line := p.wants(channel.ErrBusy.Code); !strings.Contains(line, "with arguments in files have not ended") {
				t.Error(line)
			}
		}
		nothingIn(t, dir)
		return refused
	}
	for i := range channel.MaxAllFiles/channel.MaxFiles + 1 {
		if refused, all := hold(), i == channel.MaxAllFiles/channel.MaxFiles; all && refused != channel.MaxFiles+1 || !all && refused != 1 {
			t.Errorf("program %d: %d refused", i, refused)
		}
	}
}

// Artifacts that no frame holds come by a file too.
func TestArtifactsGoByFiles(t *testing.T) {
	s, c := listenFiles(t)
	c.artifacts = []a2a.Artifact{{ID: "big", Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: make([]byte, 3<<20)}}}}
	o, dir := withOutbox(t)
	client := dial(t, s, s.Grant(o).Token(), channel.Capabilities{})
	for _, files := range []bool{true, false} {
		called, err := client.CallTool(t.Context(), channel.Call{Name: "acme.echo", Artifacts: true, Files: files})
		if whole := len(called.Artifacts) == 1 && len(called.Artifacts[0].Parts[0].Raw) == 3<<20; err != nil || whole != files || (called.Omitted == 0) != files {
			t.Errorf("files %v: %d artifacts, %d omitted, %v", files, len(called.Artifacts), called.Omitted, err)
		}
	}
	nothingIn(t, dir)
}
