package manifest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/follow"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// maxFile is the largest size of a manifest in bytes.
const maxFile = 64 << 20

// reading is the result of one look at the file.
type reading struct {
	data    []byte
	missing bool
	// settled is false if the file changed while it was read, or so shortly before that
	// the clock of the file system cannot show the change.
	settled bool
	err     error // why there is no data
	// distrusted: the data was read and is not believed.
	distrusted bool
}

// ReadFile reads a file that may be a manifest, to check it. It reads no more than a
// manifest can have, and one byte that shows that there is more. It does not open a
// FIFO, because a process that writes into one would take us for its reader.
func ReadFile(path string) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	return Read(f)
}

// Read is ReadFile for a file that is already open.
func Read(r io.Reader) ([]byte, error) { return readSized(r, 0) }

var (
	errPipe      = errors.New("it is a pipe, which is not opened; give what comes out of it on standard input")
	errIrregular = errors.New("not a regular file")
)

// openFile opens no FIFO, and never blocks on a FIFO that has just taken a file's
// place.
func openFile(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errPipe}
	}
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// readFile reads a regular file to its end.
func readFile(path string, quiet time.Duration) reading {
	f, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return reading{missing: true, settled: true}
	}
	if errors.Is(err, errPipe) {
		err = errIrregular // this file does not come on standard input
	}
	if err != nil {
		return reading{err: err, settled: true}
	}
	defer f.Close() // nothing was written
	before, err := f.Stat()
	if err != nil {
		return reading{err: err, settled: true}
	}
	r := reading{settled: true}
	if !before.Mode().IsRegular() {
		r.err = errIrregular
		return r
	}
	if r.data, r.err = readSized(f, before.Size()); r.err != nil {
		return r
	}
	after, err := f.Stat()
	r.settled = err == nil && follow.Same(before, after) && (int64(len(r.data)) == after.Size() || after.Size() > maxFile)
	if age := time.Since(before.ModTime()); age >= 0 && age < quiet {
		r.settled = false
	}
	return r
}

// readSized is io.ReadAll for a file of about this size. It reads no more than a
// manifest can have.
func readSized(f io.Reader, size int64) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, min(size, maxFile)+bytes.MinRead))
	_, err := b.ReadFrom(io.LimitReader(f, maxFile+1))
	return b.Bytes(), err
}

// digest distinguishes one content from another; an error counts as a content too.
func (r reading) digest() [sha256.Size]byte {
	if r.err != nil {
		return sha256.Sum256(fmt.Appendf(nil, "error: %v", r.err))
	}
	return sha256.Sum256(r.data)
}

// parse checks the data that was read.
func (r reading) parse(path string, opts Options, with loading) (*Snapshot, jsontree.Faults, error) {
	if r.distrusted {
		return nil, nil, jsontree.Faults{{File: path, Message: "the file is not believed: " + r.err.Error()}}
	}
	if r.err != nil {
		reason := r.err
		if e, ok := errors.AsType[*fs.PathError](r.err); ok {
			reason = e.Err // the message already names the path
		}
		return nil, nil, jsontree.Faults{{File: path, Message: "the file cannot be read: " + reason.Error()}}
	}
	return parse(path, r.data, opts, with)
}
