package output

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ErrLimit says that a file has as many bytes as it may have.
var ErrLimit = errors.New("the output has reached its limit")

// ErrTotal says that all files together have as many bytes as they may have, and none of them is
// whole, so that it could be removed.
var ErrTotal = errors.New("the outputs of the calls that run now have reached their limit together")

// File is a side file that is written. Only one goroutine may use it at a time.
type File struct {
	s    *Store
	id   string
	path string
	f    *os.File
	size int64
}

// Path returns where the file is.
func (f *File) Path() string { return f.path }

// Size returns how many bytes were written.
func (f *File) Size() int64 { return f.size }

// Write appends to the file. The error wraps ErrLimit or ErrTotal if not all of it had room: what had
// room was written. To make room, the oldest whole files are removed.
func (f *File) Write(p []byte) (n int, err error) {
	room, full := f.s.reserve(f.id, int64(len(p)))
	n, err = f.f.Write(p[:room])
	f.size += int64(n)
	if err != nil {
		f.s.giveBack(f.id, room-int64(n))
		return n, err
	}
	return n, full
}

// reserve returns how many of n more bytes a file may have, and why not all.
func (s *Store) reserve(id string, n int64) (room int64, full error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.files[id]
	if e == nil { // its task has gone, or the store is closed
		return 0, ErrClosed
	}
	if left := s.o.Limit - e.size; n > left {
		n, full = left, fmt.Errorf("%w of %d bytes", ErrLimit, s.o.Limit)
	}
	if s.o.Total > 0 {
		for s.used+n > s.o.Total && len(s.whole) > 0 {
			s.forget(s.whole[0])
		}
		if left := s.o.Total - s.used; n > left {
			n, full = left, fmt.Errorf("%w of %d bytes", ErrTotal, s.o.Total)
		}
	}
	e.size += n
	s.used += n
	return n, full
}

// giveBack takes back what was reserved and not written.
func (s *Store) giveBack(id string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.files[id]; e != nil {
		e.size -= n
		s.used -= n
	}
}

// Keep ends the file: from now on it can be read, as that media type.
func (f *File) Keep(media string) error {
	if err := f.f.Close(); err != nil {
		f.s.Forget(f.id)
		return err
	}
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if e := f.s.files[f.id]; e != nil {
		e.media, e.done = media, true
		f.s.whole = append(f.s.whole, f.id)
	}
	return nil
}

// Discard ends and removes the file. Its id can be used again.
func (f *File) Discard() {
	_ = f.f.Close() // it is removed
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if f.s.files[f.id] == nil || f.s.closed {
		return
	}
	_ = f.s.root.Remove(f.id) // what stays goes with the directory
	f.s.drop(f.id)
}

// Reader is a whole side file, for reading at any place.
type Reader struct {
	*os.File
	Size      int64
	Modified  time.Time
	MediaType string
	// ETag is the strong validator: the content of an id never changes.
	ETag string
}

// Open opens the file with that id. It returns ErrNotFound if there is none, if it is
// still written, or if something else has taken its place.
func (s *Store) Open(id string) (*Reader, error) {
	if s == nil {
		return nil, ErrNotFound
	}
	s.mu.Lock()
	e := s.files[id]
	if e == nil || !e.done || s.closed {
		s.mu.Unlock()
		return nil, ErrNotFound
	}
	made, media := e.made, e.media
	s.mu.Unlock()
	f, err := s.root.OpenFile(id, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, ErrNotFound
	}
	now, err := f.Stat()
	if err != nil || !os.SameFile(made, now) {
		return nil, errors.Join(ErrNotFound, f.Close())
	}
	return &Reader{File: f, Size: now.Size(), Modified: now.ModTime(), MediaType: media, ETag: `"` + id + `"`}, nil
}
