package channel

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// connFiles are the files by which one connection exchanges what exceeds a frame.
type connFiles struct {
	outbox *Outbox // nil: there is none

	mu      sync.Mutex
	written []string // results that may not have been read
	pending int      // results that are being written
}

// errNoOutbox says that a frame names a file where none is taken.
func errNoOutbox() *Error {
	return invalid("argumentsFile", "files are not taken here: the program has no outbox")
}

// maxFile is the longest file, in bytes; 0 if the connection exchanges none.
func (c *Conn) maxFile() int64 {
	if c.files.outbox == nil {
		return 0
	}
	return c.s.opts.MaxFile
}

// outboxPath is what the agent is told of where files go, "" if none are taken.
func (c *Conn) outboxPath() string {
	if c.maxFile() == 0 {
		return ""
	}
	return c.files.outbox.Path
}

// readArguments reads the arguments of a call from a file, and removes it. Their place in memory
// is given back by release, when the call has ended.
func (c *Conn) readArguments(name string) (arguments json.RawMessage, release func(), err error) {
	if c.maxFile() == 0 {
		return nil, nil, errNoOutbox()
	}
	dir, err := c.files.outbox.Open()
	if err != nil {
		return nil, nil, invalid("argumentsFile", "the outbox cannot be opened: %s", err)
	}
	defer dir.Close()
	release, full := c.place()
	if full != nil {
		if FrameFile(name) {
			removeFrameFile(dir, name)
		}
		return nil, nil, full
	}
	data, err := readFrameFile(dir, name, c.files.outbox.UID, c.maxFile())
	if err == nil && !json.Valid(data) {
		err = frameFileError(name, "is not JSON")
	}
	if err != nil {
		release()
		return nil, nil, invalid("argumentsFile", "%s", text.Line(err.Error(), 0))
	}
	return data, release, nil
}

// place takes a place for the arguments of a file.
func (c *Conn) place() (release func(), full *Error) {
	own, all := c.grant.files, c.s.files
	select {
	case own <- struct{}{}:
	default:
		return nil, ErrBusy.With("too many long calls: %d of this program with arguments in files have not ended", MaxFiles)
	}
	select {
	case all <- struct{}{}:
	default:
		<-own
		return nil, ErrBusy.With("too many long calls: %d with arguments in files have not ended", MaxAllFiles)
	}
	return func() { <-all; <-own }, nil
}

// result returns how a call ended as it is sent. What exceeds a frame goes into a file if the agent
// takes one. If none can be written, as much is sent as fits a frame.
func (c *Conn) result(ctx context.Context, called Called, files bool) (json.RawMessage, error) {
	if !files {
		return called.result(MaxFrame)
	}
	select { // what is being written is in memory twice
	case c.s.writes <- struct{}{}:
		defer func() { <-c.s.writes }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	raw, err := called.result(int(c.maxFile()))
	if err != nil || len(raw) <= MaxFrame-resultRoom {
		return raw, err
	}
	if int64(len(raw)) > c.maxFile() {
		return nil, ErrFrame.With("the call has ended (task %s), but its result of %d bytes is longer than the %d that a file may have", called.TaskID, len(raw), c.maxFile())
	}
	name, err := c.writeResult(ctx, raw)
	if err == nil {
		return text.JSON(calledWire{calledMeta{TaskID: called.TaskID, File: name}})
	}
	c.s.log.Warn("the result of a call does not fit a frame, and goes without a file", "task", called.TaskID, "error", err)
	if len(called.Envelope) <= MaxEnvelope {
		return called.result(MaxFrame)
	}
	return nil, ErrFrame.With("the call has ended (task %s), but its result of %d bytes does not fit a frame of %d, and no file can be written into the outbox: %s",
		called.TaskID, len(called.Envelope), MaxFrame, text.Line(err.Error(), 0))
}

// errUnread says that the agent does not read what it gets.
var errUnread = errors.New("too many results in the outbox have not been read")

// writeResult writes a result into the outbox.
func (c *Conn) writeResult(ctx context.Context, raw []byte) (name string, err error) {
	dir, err := c.files.outbox.Open()
	if err != nil {
		return "", err
	}
	defer dir.Close()
	if !c.files.reserve(dir) {
		return "", errUnread
	}
	name, err = writeFrameFile(ctx, dir, raw, c.files.outbox.UID, c.files.outbox.GID)
	c.files.mu.Lock()
	defer c.files.mu.Unlock()
	c.files.pending--
	if err == nil {
		c.files.written = append(c.files.written, name)
	}
	return name, err
}

// reserve forgets the results that have been read, and reports whether there is room for another.
// If so, the caller lowers pending when it has been written.
func (f *connFiles) reserve(dir *os.File) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written = slices.DeleteFunc(f.written, func(name string) bool { return !isThere(dir, name) })
	if len(f.written)+f.pending >= MaxUnread {
		return false
	}
	f.pending++
	return true
}

// sweep removes the results that nobody has read: the connection has ended.
func (f *connFiles) sweep() {
	f.mu.Lock()
	written := f.written
	f.mu.Unlock()
	if len(written) == 0 {
		return
	}
	dir, err := f.outbox.Open()
	if err != nil {
		return // it is gone, with all that was in it
	}
	defer dir.Close()
	for _, name := range written {
		removeFrameFile(dir, name)
	}
}
