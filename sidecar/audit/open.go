package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Defaults of Options.
const (
	defaultMaxBytes = 64 << 20
	defaultKeep     = 8
)

// Options is what an audit is made of.
type Options struct {
	// File is where the records are written. Its directory is made if it is not there;
	// files beside it have its name and an ending.
	File string
	// Strict refuses calls whose first record cannot be written, and waits for the disk
	// before a call is executed.
	Strict bool
	// MaxBytes is the size at which a new file is begun. 0: 64 MiB.
	MaxBytes int64
	// Keep is how many old files are kept. 0: 8.
	Keep int
	// Version is the sidecar's own, for the record of the start.
	Version string
	// Log gets a warning when records can no longer be written, and when they can again.
	// nil: none.
	Log *slog.Logger
}

// Open opens an audit, begins it with a record of the start, and starts its writer; Close
// ends it. The error ErrInUse says that another process has it.
func Open(o Options) (*Log, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	path, err := filepath.Abs(o.File)
	if err != nil {
		return nil, err
	}
	o.File = path
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the audit's directory: %w", err)
	}
	h, known, err := openHead(path)
	if err != nil {
		return nil, fmt.Errorf("the audit: %w", err)
	}
	w := &writer{o: o, head: h}
	opening, err := w.recover(known)
	if err == nil {
		w.key, err = openKey(path)
	}
	if err == nil {
		err = w.begin(opening)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the audit: %w", err), w.close())
	}
	return start(w), nil
}

// begin writes the record of a start.
func (w *writer) begin(opening *Opening) error {
	body, err := (&Record{Event: EventOpened, Opening: opening}).body()
	if err != nil {
		return err
	}
	return w.write([]*entry{{body: body}})
}

// recover opens the file and finds the end of the chain. known is the last record that
// the head file knows. A last line without its end is cut off.
func (w *writer) recover(known link) (*Opening, error) {
	if err := w.openFile(); err != nil {
		return nil, err
	}
	o := &Opening{Why: "start", PID: os.Getpid(), Version: w.o.Version}
	if err := w.cutTorn(o); err != nil {
		return nil, err
	}
	last, found, err := w.lastLine()
	if err != nil {
		return nil, err
	}
	if found {
		r, err := parseLine(last)
		o.Damaged = err != nil
		w.last = link{r.Seq, r.Hash}
	}
	if known.seq > w.last.seq {
		if !o.Damaged {
			o.MissingFrom, o.MissingTo = w.last.seq+1, known.seq
		}
		w.last.seq = known.seq
	}
	return o, nil
}

// openFile opens the file that records are appended to.
func (w *writer) openFile() error {
	f, err := os.OpenFile(w.o.File, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", w.o.File)
	}
	if err != nil {
		f.Close()
		return err
	}
	w.f, w.size = f, info.Size()
	return nil
}

// cutTorn cuts off what follows the last line end.
func (w *writer) cutTorn(o *Opening) error {
	end, err := lastByteOf(w.f, w.size, '\n')
	if err != nil || end+1 == w.size {
		return err
	}
	o.TornBytes = w.size - (end + 1)
	w.size = end + 1
	return w.f.Truncate(w.size)
}

// lastLine returns the last line of the file, or of the newest old one if the file is
// empty.
func (w *writer) lastLine() (line []byte, found bool, err error) {
	if w.size > 0 {
		line, err = lastLineOf(w.f, w.size)
		return line, err == nil, err
	}
	f, err := os.Open(old(w.o.File, 1))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, false, err
	}
	line, err = lastLineOf(f, info.Size())
	return line, err == nil, err
}

// lastLineOf returns the last line of a file that ends in one, without its end.
func lastLineOf(f io.ReaderAt, size int64) ([]byte, error) {
	before, err := lastByteOf(f, size-1, '\n')
	if err != nil {
		return nil, err
	}
	line := make([]byte, size-1-(before+1))
	_, err = f.ReadAt(line, before+1)
	return line, err
}

// lastByteOf returns where a byte last occurs among the first size ones, -1 for nowhere.
func lastByteOf(f io.ReaderAt, size int64, b byte) (int64, error) {
	const step = 64 << 10
	buf := make([]byte, step)
	for end := size; end > 0; {
		n := min(end, step)
		if _, err := f.ReadAt(buf[:n], end-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], b); i >= 0 {
			return end - n + int64(i), nil
		}
		end -= n
	}
	return -1, nil
}

// old returns the name of the n-th old file; the first is the newest.
func old(path string, n int) string { return path + "." + strconv.Itoa(n) }

// Files returns the names of all files that an audit at path may have: the records, the old ones,
// the head and the key. Not all of them need exist.
func Files(path string) []string {
	all := []string{path, path + headSuffix, path + keySuffix}
	for n := range defaultKeep {
		all = append(all, old(path, n+1))
	}
	return all
}

// LockFile returns the file that is locked (flock) while a sidecar writes to the audit at path.
func LockFile(path string) string { return path + headSuffix }
