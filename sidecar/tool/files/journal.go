package files

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Journal keeps what becomes of files. Its methods are called on the thread of the work, which can open no file and must start no
// goroutine.
type Journal interface {
	// Limit is the most bytes of one file that are kept.
	Limit() int64
	// Record keeps a change that is about to be made. The error says that it could not: the change is then not made. forget, which
	// is called before the call ends, says that it was not made after all.
	Record(c *Change) (forget func(), err error)
}

// Change is one file before and after.
type Change struct {
	Path          string // absolute, its links resolved
	Before, After Content
}

// Content is what is at a path at one time.
type Content struct {
	tool.FileState
	Bytes  []byte
	Unkept string // why Bytes is not the content, in words; "": it is
}

// record tells the journal of a change.
func (v *view) record(resolved string, parent int, name string, now *info, after *Content) (forget func(), err error) {
	j := v.f.o.Journal
	if j == nil {
		return func() {}, nil
	}
	c := &Change{Path: resolved, Before: Content{FileState: tool.FileState{Absent: true}}, After: *after}
	if now != nil {
		c.Before = v.before(resolved, parent, name, now, j.Limit())
	}
	if c.After.Size > j.Limit() {
		c.After.Bytes, c.After.Unkept = nil, tooLong(c.After.Size, j.Limit())
	}
	forget, err = j.Record(c)
	if err != nil {
		return nil, fmt.Errorf("what it had cannot be kept (sidecar changes), so it was not changed: %w", err)
	}
	return forget, nil
}

// before returns what is in a file that is about to be changed. It is read only if the rules let the call read it: the journal is
// shown to callers.
func (v *view) before(resolved string, parent int, name string, now *info, limit int64) Content {
	c := Content{FileState: tool.FileState{Size: now.Size(), Mode: now.Mode().Perm()}}
	switch err := v.f.allowed(policy.FSRead, resolved); {
	case err != nil:
		c.Unkept = "the call may not read it"
		return c
	case now.Size() > limit:
		c.Unkept = tooLong(now.Size(), limit)
		return c
	}
	content, err := readAll(parent, name, now.Size())
	if err != nil {
		c.Unkept = "it could not be read: " + err.Error()
		return c
	}
	c.Bytes, c.SHA256, c.Size = content, tool.Hash(content), int64(len(content))
	return c
}

func tooLong(size, limit int64) string {
	return fmt.Sprintf("it has %d bytes, and --changes-file keeps %s", size, text.FormatSize(limit))
}

// readAll reads a file of that size. One that grows meanwhile is not the one that is replaced: that is looked at afterwards.
func readAll(parent int, name string, size int64) ([]byte, error) {
	fd, err := openAt(parent, name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	content := make([]byte, size)
	n, err := (&opened{fd: fd}).ReadAt(content, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return content[:n], errors.Join(err, unix.Close(fd))
}

// made is what a file that was filled will be.
func made(parent int, temp string, content []byte) (*Content, error) {
	i, err := lookAt(parent, temp)
	if err != nil {
		return nil, err
	}
	return &Content{FileState: tool.FileState{SHA256: tool.Hash(content), Size: int64(len(content)), Mode: i.Mode().Perm()}, Bytes: content}, nil
}
