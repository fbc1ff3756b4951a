package term_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// recording returns the header and events of a file.
func recording(t *testing.T, file string) (term.CastHeader, []term.CastEvent) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	header, list, err := term.ReadCast(f)
	if err != nil {
		t.Fatal(err)
	}
	var events []term.CastEvent
	for e, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return header, events
}

// TestRecorder: the file is asciicast v3, to the byte, for its owner only, and
// reads back as what was recorded.
func TestRecorder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.cast")
	if err := os.WriteFile(file, []byte("an older one, longer than what comes\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		r, err := term.NewRecorder(file, term.RecorderOptions{Cols: 80, Rows: 24, Command: "claude --x", Title: "t"})
		if err != nil {
			t.Fatal(err)
		}
		r.Output([]byte("caf\xc3"))
		<-time.After(250 * time.Millisecond)
		r.Output([]byte("\xa9 \x1b[31m\"x\"\r\n"))
		r.Input([]byte("hello\r"), true)
		r.Input([]byte("secret\r"), false)
		<-time.After(1500 * time.Millisecond)
		r.Resize(100, 30)
		r.Marker("turn 1")
		r.Output([]byte("\xf0\x9f"))
		r.Exit(7)
		if err := r.Close(); err != nil || r.Close() != nil || r.Dropped() != 0 {
			t.Fatal(err, r.Dropped())
		}
		r.Output([]byte("too late"))
	})
	want := `{"version":3,"term":{"cols":80,"rows":24,"type":"xterm-256color"},"timestamp":946684800,"command":"claude --x","title":"t"}
[0.000, "o", "caf"]
[0.250, "o", "é \u001b[31m\"x\"\r\n"]
[0.000, "i", "hello\r"]
[1.500, "r", "100x30"]
[0.000, "m", "turn 1"]
[0.000, "x", "7"]
[0.000, "o", "` + "\ufffd\ufffd" + `"]
`
	got := read(t, file)
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(strings.ReplaceAll(got, `\ufffd`, "\ufffd"), "\n")); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	header, events := recording(t, file)
	if header.Version != 3 || header.Cols != 80 || header.Rows != 24 || header.Command != "claude --x" || header.Recorded.Unix() != 946684800 {
		t.Errorf("%+v", header)
	}
	if e := events[3]; e.At != 1750*time.Millisecond || e.Kind != term.CastResize || e.Cols != 100 || e.Rows != 30 {
		t.Errorf("%+v", e)
	}
}

// TestRecorderTimesDoNotDrift: the intervals, though rounded, add up.
func TestRecorderTimesDoNotDrift(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.cast")
	synctest.Test(t, func(t *testing.T) {
		r, err := term.NewRecorder(file, term.RecorderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			<-time.After(1400 * time.Microsecond)
			r.Output([]byte("x"))
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})
	_, events := recording(t, file)
	if at := events[999].At; (at - 1400*time.Millisecond).Abs() > time.Millisecond {
		t.Errorf("the last event is at %v", at)
	}
}

// TestRecorderIsBounded: it never waits; what does not fit is counted and the
// file says where it is missing, and stays within its limit.
func TestRecorderIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.cast")
	r, err := term.NewRecorder(file, term.RecorderOptions{MaxBytes: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				r.Output(bytes.Repeat([]byte("x"), 10_000))
				r.Marker("m")
			}
		})
	}
	all.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() > 101_000 || info.Size() < 80_000 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	_, events := recording(t, file)
	written := int64(0)
	for _, e := range events {
		if e.Kind == term.CastOutput {
			written += int64(len(e.Data))
		}
	}
	if last := events[len(events)-1]; last.Kind != term.CastMarker || !strings.Contains(last.Data, "missing") {
		t.Errorf("the end is %.80q", last.Data)
	}
	if total := written + r.Dropped(); total != 4_000_000 {
		t.Errorf("%d written and %d dropped", written, r.Dropped())
	}
}

// TestRecorderNeverWaits: with a disk that stands still, here a pipe that nobody
// reads, everything returns at once, and the file tells where bytes are missing.
func TestRecorderNeverWaits(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "a.cast")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	disk, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	r, err := term.NewRecorder(pipe, term.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	for range 200 {
		r.Output(chunk)
	}
	dropped := r.Dropped()
	if dropped < 200*64<<10-5<<20 {
		t.Errorf("only %d bytes were dropped", dropped)
	}
	closed := make(chan error, 1)
	read := make(chan []byte, 1)
	go func() { // the disk moves again
		var all []byte
		buf := make([]byte, 64<<10)
		for !bytes.Contains(all, []byte("the end")) {
			n, err := disk.Read(buf)
			if err != nil {
				break
			}
			all = append(all, buf[:n]...)
		}
		read <- all
	}()
	for before := r.Dropped(); ; before = r.Dropped() {
		r.Output(chunk)
		if r.Dropped() == before {
			break // there is room again
		}
	}
	r.Output([]byte("the end"))
	go func() { closed <- r.Close() }()
	all := <-read
	if err := <-closed; err != nil {
		t.Error(err)
	}
	_, list, err := term.ReadCast(bytes.NewReader(all))
	if err != nil {
		t.Fatal(err)
	}
	var written int
	marked := false
	for e, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		marked = marked || e.Kind == term.CastMarker && strings.Contains(e.Data, "bytes are missing here")
		if e.Kind == term.CastOutput {
			written += len(e.Data)
		}
	}
	if !marked || r.Dropped() < dropped || written == 0 {
		t.Errorf("marked: %v; %d bytes written, %d dropped", marked, written, r.Dropped())
	}
}

// TestRecorderWithoutADisk: an error is told at the end, and costs nobody
// anything before.
func TestRecorderWithoutADisk(t *testing.T) {
	if _, err := term.NewRecorder(filepath.Join(t.TempDir(), "none", "a.cast"), term.RecorderOptions{}); err == nil {
		t.Error("a file in no folder was opened")
	}
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("no " + full)
	}
	if _, err := term.NewRecorder(full, term.RecorderOptions{}); err == nil {
		t.Error("the header went nowhere without an error")
	}
}

// TestReadCastV2: absolute times, width and height.
func TestReadCastV2(t *testing.T) {
	header, events := recording(t, agents+"claude/testdata/input.cast")
	if header.Version != 2 || header.Cols != 120 || header.Rows != 40 || header.Command != "claude" || header.Env["TERM"] != "xterm-256color" {
		t.Errorf("%+v", header)
	}
	count := map[term.CastKind]int{}
	for i, e := range events {
		count[e.Kind]++
		if i > 0 && e.At < events[i-1].At {
			t.Errorf("event %d is before the one before", i)
		}
		if e.Kind == term.CastResize && (e.Cols != 80 || e.Rows != 24 || e.At.Round(time.Millisecond) != 10485*time.Millisecond) {
			t.Errorf("%+v", e)
		}
	}
	if diff := cmp.Diff(map[term.CastKind]int{"o": 50, "i": 12, "r": 1}, count); diff != "" {
		t.Error(diff)
	}
}

func TestReadCastV3(t *testing.T) {
	in := `{"version":3,"term":{"cols":80,"rows":24}}
# a comment

[0.5, "o", "a"]
[0.25, "m", ""]
[0, "x", 3]
[1, "z", "later kinds pass"]
[1, "o", "no newline at the end"]`
	_, list, err := term.ReadCast(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for e, err := range list {
		got = append(got, fmt.Sprint(e.At, " ", e.Kind, " ", e.Data, " ", err))
	}
	want := []string{"500ms o a <nil>", "750ms m  <nil>", "750ms x 3 <nil>", "1.75s z later kinds pass <nil>", "2.75s o no newline at the end <nil>"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadCastFaults(t *testing.T) {
	for _, in := range []string{"", "x", "[]", `{"version":1}`, `{"version":4}`, "{\"version\":2"} {
		if _, _, err := term.ReadCast(strings.NewReader(in)); err == nil {
			t.Errorf("%q is no recording", in)
		}
	}
	for in, want := range map[string]string{
		`["x", "o", "a"]`:       "line 2: ",
		`[1, "o"]`:              "line 2: an event is",
		`[1, "r", "wide"]`:      "line 2: a size is COLSxROWS",
		"[1, \"o\", \"a\"]\n{}": "line 3: ",
		`[1, "o", "` + strings.Repeat("x", 17<<20): "line 2: over",
		`[1e300, "o", "a"]`:                        "line 2: ",
	} {
		_, list, err := term.ReadCast(strings.NewReader("{\"version\":2}\n" + in + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			err = e
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v", in, err)
		}
	}
	// A recorder that was killed leaves half a line.
	_, list, err := term.ReadCast(strings.NewReader("{\"version\":2}\n[1, \"o\", \"a\"]\n[2, \"o"))
	n := 0
	for _, e := range list {
		n++
		err = e
	}
	if n != 1 || err != nil {
		t.Error(n, err)
	}
}

// FuzzReadCast: no input panics, and what is read can be read again from what a
// line of it says.
func FuzzReadCast(f *testing.F) {
	f.Add([]byte("{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n[0.5, \"o\", \"a\"]\n[1, \"r\", \"80x24\"]\n"))
	f.Add([]byte("{\"version\":2,\"width\":80,\"height\":24}\n[0.5, \"i\", \"\\u001b\"]\n#\n[7, \"x\", 1]"))
	f.Fuzz(func(t *testing.T, in []byte) {
		header, list, err := term.ReadCast(bytes.NewReader(in))
		if err != nil {
			return
		}
		if _, err := json.Marshal(header); err != nil {
			t.Error(err)
		}
		faults := 0
		for e, err := range list {
			if err != nil {
				faults++
			} else if e.At < 0 || e.Kind == term.CastResize && (e.Cols < 1 || e.Rows < 1) {
				t.Errorf("%+v", e)
			}
		}
		if faults > 1 {
			t.Errorf("%d faults", faults)
		}
	})
}
