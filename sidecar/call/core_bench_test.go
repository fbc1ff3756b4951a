package call_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
)

// BenchmarkFileTools is how long a call of read, and of edit, takes through the whole pipeline, without a process:
// with the thread and Landlock, and without them. A bare os.ReadFile of the same file stands beside
// it, and the bare system calls of a replacement that is on the disk. "kept" is with the thread, and with the journal of changes
// on the disk.
func BenchmarkFileTools(b *testing.B) {
	content := strings.Repeat("a line of text, as they are\n", 4<<10/28) + "0"
	for _, name := range []string{"confined", "unconfined", "kept"} {
		r := newCore(b, allowAll, func(o *call.Options) {
			switch name {
			case "unconfined":
				o.Sandbox = nil
			case "kept":
				o.Changes = (&kept{o: changes.Options{Dir: b.TempDir(), Total: 64 << 20, File: 1 << 20}}).open(b)
			}
		})
		path := r.put("file", content)
		b.Run("read "+name, func(b *testing.B) {
			named := map[string]any{"file_path": "file"}
			compare(b, func() { _, _ = os.ReadFile(path) }, func() { r.file("ann", "", "read", named) })
		})
		b.Run("edit "+name, func(b *testing.B) {
			compare(b, func() { syncedWrite(b, path+".tmp", path, content) }, func() {
				// The floor has put the 0 back.
				if got, _ := r.file("ann", "", "edit", map[string]any{"file_path": "file", "old_string": "are\n0", "new_string": "are\n1"}); strings.HasPrefix(got, "error: ") {
					b.Fatal(got)
				}
			})
		})
	}
}

// syncedWrite replaces a file as an editor does.
func syncedWrite(b *testing.B, temp, path, content string) {
	f, err := os.Create(temp)
	if err != nil {
		b.Fatal(err)
	}
	_, err = f.WriteString(content)
	if err != nil || f.Sync() != nil || f.Close() != nil || os.Rename(temp, path) != nil {
		b.Fatal("it is not replaced")
	}
}

// compare times two functions in turn.
func compare(b *testing.B, floor, ours func()) {
	timed := func(f func()) time.Duration {
		start := time.Now()
		f()
		return time.Since(start)
	}
	var bare, took []time.Duration
	for b.Loop() {
		bare = append(bare, timed(floor))
		took = append(took, timed(ours))
	}
	slices.Sort(bare)
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(bare[len(bare)/2])/1e3, "bare-µs")
	b.ReportMetric(float64(took[len(took)/2])/1e3, "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100])/1e3, "p99-µs")
}
