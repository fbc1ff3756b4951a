package disk_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

const spoilTasks = 40

// spoilable is a file with tasks, each of a message and three chunks.
func spoilable(t testing.TB) (content []byte) {
	t.Helper()
	dir := t.TempDir()
	s := mustOpen(t, disk.Options{Dir: dir})
	var c task.Commit
	for i := range spoilTasks {
		id := name(i)
		h := head(id, uint64(i+1), a2a.StateCompleted)
		h.LastEvent, h.Owner = 3, "owner of "+id
		s.Append(t.Context(), &task.Change{TaskID: id, Head: head(id, uint64(i+1), a2a.StateWorking), Messages: []*a2a.Message{message(id, "question "+id)}})
		for place := range uint64(3) {
			s.Append(t.Context(), &task.Change{TaskID: id, Event: chunk(id, place+1, fmt.Sprintf("answer %d of %s;", place+1, id))})
		}
		c = s.Append(t.Context(), &task.Change{TaskID: id, Head: h})
	}
	mustWait(t, c)
	mustClose(t, s)
	content, err := os.ReadFile(dbFile(dir))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func openContent(t testing.TB, content []byte, log *await.Log) (*disk.Store, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(dbFile(dir), content, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := disk.Open(disk.Options{Dir: dir, Log: log.Logger()})
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

// flipped is the content with one bit of what stands at a text flipped.
func flipped(t testing.TB, content []byte, text string) []byte {
	t.Helper()
	at := bytes.LastIndex(content, []byte(text))
	if at < 0 {
		t.Fatalf("%q is nowhere", text)
	}
	c := bytes.Clone(content)
	c[at+len(text)-1] ^= 1
	return c
}

// says reports whether a task says that it is damaged.
func says(r *task.Record) bool { _, ok := r.Metadata["recordsDamaged"]; return ok }

// A spoiled record is one task that says so, in the log too, and no other.
func TestSpoiledRecord(t *testing.T) {
	content := spoilable(t)
	const id = "task-0007"
	for what, text := range map[string]string{"message": "question " + id, "event": "answer 2 of " + id, "head": `"id":"` + id + `","contextId":"c-` + id} {
		t.Run(what, func(t *testing.T) {
			var log await.Log
			s, err := openContent(t, flipped(t, content, text), &log)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(ids(t, s)); n != spoilTasks {
				t.Errorf("%d tasks of %d", n, spoilTasks)
			}
			for i := range spoilTasks {
				if got := load(t, s, name(i)); says(got.Record) != (name(i) == id) {
					t.Errorf("%s says %v", name(i), got.Metadata)
				}
			}
			got := load(t, s, id)
			if what == "head" && (got.Status.State != a2a.StateFailed || got.Status.Message == nil || !strings.Contains(got.Status.Message.Parts[0].Text, "damaged")) {
				t.Errorf("status %+v", got.Status)
			}
			if got.Owner != "owner of "+id {
				t.Errorf("it is %q's, and so everybody's or another caller's", got.Owner)
			}
			if what == "event" && len(got.events) != 2 || what == "message" && len(got.History) != 0 {
				t.Errorf("what is spoiled is shown: %d events, %d messages", len(got.events), len(got.History))
			}
			if _, err := s.Events(id, 0, 1<<20); err != nil {
				t.Errorf("events: %v", err)
			}
			if len(log.Lines(id)) != 1 || len(log.Lines("damaged")) != 1 {
				t.Errorf("the log:\n%s", log.String())
			}
			// It can be written again.
			mustWait(t, s.Append(t.Context(), &task.Change{TaskID: id, Event: chunk(id, 4, "more")}))
			h := head(id, 99, a2a.StateFailed)
			mustWait(t, s.Append(t.Context(), &task.Change{TaskID: id, Head: h}))
			if got := load(t, s, id); got.Seq != 99 {
				t.Errorf("after it was written again: %+v", got.Head)
			}
		})
	}
}

// A record that stands in another's place is spoiled, whole as it is.
func TestRecordInAnothersPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.db")
	if err := os.WriteFile(path, spoilable(t), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		log := tx.Bucket([]byte("log"))
		var keys, values [2][]byte
		for k, v := range all(log) {
			for i, text := range []string{"answer 2 of task-0003", "answer 2 of task-0004"} {
				if bytes.Contains(v, []byte(text)) {
					keys[i], values[i] = bytes.Clone(k), bytes.Clone(v)
				}
			}
		}
		return errors.Join(log.Put(keys[0], values[1]), log.Put(keys[1], values[0]))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openContent(t, content, &await.Log{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range spoilTasks {
		if got := load(t, s, name(i)); says(got.Record) != (i == 3 || i == 4) {
			t.Errorf("%s says %v", name(i), got.Metadata)
		}
	}
}

// all are the records of a bucket.
func all(b *bbolt.Bucket) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		c := b.Cursor()
		for k, v := c.First(); k != nil && yield(k, v); k, v = c.Next() {
		}
	}
}

// A spoiled meta page loses nothing silently: it is the older one, or the file is
// refused.
func TestSpoiledMetaPage(t *testing.T) {
	content := spoilable(t)
	page := os.Getpagesize()
	refused := 0
	for _, at := range []int{0, page} {
		for bit := range 64 * 8 {
			var log await.Log
			c := bytes.Clone(content)
			c[at+16+bit/8] ^= 1 << (bit % 8)
			s, err := openContent(t, c, &log)
			if err != nil {
				if !errors.Is(err, disk.ErrDamaged) {
					t.Fatalf("bit %d of the page at %d: %v", bit, at, err)
				}
				refused++
				continue
			}
			if n := len(ids(t, s)); n != spoilTasks || len(log.Lines("damaged")) == 0 {
				t.Fatalf("bit %d of the page at %d: %d tasks of %d, and the log says %q", bit, at, n, spoilTasks, log.String())
			}
			mustClose(t, s)
		}
	}
	if refused == 0 || refused == 2*64*8 {
		t.Errorf("%d of %d were refused", refused, 2*64*8)
	}
}

// Wherever a bit flips, each task is what it was, or says that it is not, or the
// log or Open says it.
func TestFlippedBits(t *testing.T) {
	content := spoilable(t)
	random := rand.New(rand.NewPCG(1, 2))
	found, refused := 0, 0
	for range 300 {
		at, bit := random.IntN(len(content)), random.IntN(8)
		c := bytes.Clone(content)
		c[at] ^= 1 << bit
		var log await.Log
		s, err := openContent(t, c, &log)
		if errors.Is(err, disk.ErrDamaged) {
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("bit %d at %d: %v", bit, at, err)
		}
		for i := range spoilTasks {
			id := name(i)
			var text strings.Builder
			r, err := s.Load(id, 1<<20, func(e *task.Stored) bool {
				text.WriteString(e.Artifact.Artifact.Parts[0].Text)
				return true
			})
			whole := err == nil && text.String() == fmt.Sprintf("answer 1 of %s;answer 2 of %s;answer 3 of %s;", id, id, id) &&
				len(r.History) == 1 && r.History[0].Parts[0].Text == "question "+id && r.Status.State == a2a.StateCompleted
			switch {
			case whole && !says(r):
			case err == nil && says(r), errors.Is(err, disk.ErrDamaged), len(log.Lines("damaged")) > 0:
				found++
			default:
				t.Errorf("bit %d at %d: %s is not what it was, and nothing says so: %v, %+v", bit, at, id, err, r)
			}
		}
		s.Close()
	}
	t.Logf("%d tasks were found to be spoiled, %d files were refused", found, refused)
	if found == 0 {
		t.Error("no flip was found")
	}
}

// TestCraftedPages has files whose meta pages are whole and say what no sidecar has
// written: they cost no more than they are long.
func TestCraftedPages(t *testing.T) {
	content := spoilable(t)
	page := os.Getpagesize() // bbolt's
	const deepest = 64
	var root int
	var newest uint64
	for name, craft := range map[string]func(file []byte){
		"more pages than there can be": func(file []byte) {
			for at := page * 2; at < len(file); at += page {
				binary.NativeEndian.PutUint32(file[at+12:], 1<<22) // pages of overflow
			}
			craftMeta(file, page, func(meta []byte) { binary.NativeEndian.PutUint64(meta[40:], 1<<52+4) })
		},
		"pages of no size": func(file []byte) {
			craftMeta(file, page, func(meta []byte) { binary.NativeEndian.PutUint32(meta[8:], 0) })
		},
		"pages below each other": func(file []byte) {
			craftMeta(file, page, func(meta []byte) {
				if txid := binary.NativeEndian.Uint64(meta[48:]); txid > newest {
					newest, root = txid, int(binary.NativeEndian.Uint64(meta[16:]))
				}
				binary.NativeEndian.PutUint64(meta[40:], uint64(len(file)/page))
			})
			for id := 2; id < len(file)/page; id++ {
				p := file[id*page:]
				clear(p[:page])
				binary.NativeEndian.PutUint64(p, uint64(id))
				binary.NativeEndian.PutUint16(p[8:], 1) // a branch
				binary.NativeEndian.PutUint16(p[10:], 1)
				binary.NativeEndian.PutUint32(p[16:], 16)
				binary.NativeEndian.PutUint64(p[24:], uint64(id+1))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := append(bytes.Clone(content), make([]byte, 400*page)...)
			craft(file)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := openContent(t, file, &await.Log{})
			runtime.ReadMemStats(&after)
			if !errors.Is(err, disk.ErrDamaged) {
				t.Errorf("%v", err)
			}
			if end := fmt.Sprintf("page %d is", root+deepest); name == "pages below each other" && !strings.Contains(err.Error(), end) {
				t.Errorf("%v: the search went deeper than %d levels", err, deepest)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
				t.Errorf("%d bytes were allocated", took)
			}
		})
	}
}

// craftMeta changes both meta pages, and makes them whole.
func craftMeta(file []byte, page int, change func(meta []byte)) {
	for _, at := range []int{16, page + 16} {
		meta := file[at : at+64]
		change(meta)
		h := fnv.New64a()
		h.Write(meta[:56])
		binary.NativeEndian.PutUint64(meta[56:], h.Sum64())
	}
}

// A file of format 1 has no checksums. It is read, and what is written to it has
// some.
func TestFormatOne(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dbFile(dir), formatOne(t), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s := mustOpen(t, disk.Options{Dir: dir})
		got := load(t, s, "old")
		if got.text(t) != "first" || len(got.History) != 1 || says(got.Record) || got.Status.State != a2a.StateCompleted {
			t.Fatalf("%+v", got.Record)
		}
		mustWait(t, s.Append(t.Context(), &task.Change{TaskID: "new", Head: head("new", 2, a2a.StateCompleted)}))
		mustClose(t, s)
	}
	db, err := bbolt.Open(dbFile(dir), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		if got := tx.Bucket([]byte("meta")).Get([]byte("format")); string(got) != "2" {
			t.Errorf("the file says format %s", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// formatOne is a file that a sidecar of before the checksums has written.
func formatOne(t testing.TB) []byte {
	t.Helper()
	f, err := os.Open("testdata/format1.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
