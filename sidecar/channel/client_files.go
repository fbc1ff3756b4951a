package channel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// openOutbox opens the directory of this program's outbox. The error is ErrFrame if the sidecar
// takes no files.
func (c *Client) openOutbox() (*os.File, error) {
	if c.outbox == "" {
		return nil, ErrFrame.With("%s: the sidecar takes no files from this program", ErrFrame)
	}
	return openPath(c.outbox)
}

// exchanges reports whether this program can use its outbox.
func (c *Client) exchanges() bool {
	dir, err := c.openOutbox()
	if err != nil {
		return false
	}
	_ = dir.Close() // it was only opened
	return true
}

// writeArguments writes the arguments of a call into a file, which remove removes: the sidecar has
// done so, if it has read them.
func (c *Client) writeArguments(ctx context.Context, arguments []byte) (name string, remove func(), err error) {
	if c.outbox != "" && int64(len(arguments)) > c.maxFile {
		return "", nil, ErrFrame.With("the arguments have %d bytes, at most %d are taken (--max-body)", len(arguments), c.maxFile)
	}
	dir, err := c.openOutbox()
	if err == nil {
		name, err = writeFrameFile(ctx, dir, arguments, os.Geteuid(), os.Getegid())
		if err != nil {
			_ = dir.Close() // nothing was written
		}
	}
	if errors.Is(err, ErrFrame) {
		return "", nil, err
	}
	if err != nil {
		return "", nil, ErrFrame.With("%s, and they cannot be written into the outbox: %s", ErrFrame, err)
	}
	return name, func() {
		removeFrameFile(dir, name)
		_ = dir.Close() // it was only read
	}, nil
}

// readResult reads a result that is in a file, and removes it.
func (c *Client) readResult(name string) (json.RawMessage, error) {
	dir, err := c.openOutbox()
	if err == nil {
		defer dir.Close()
		var data []byte
		if data, err = readFrameFile(dir, name, os.Geteuid(), c.maxFile); err == nil {
			return data, nil
		}
	}
	return nil, fmt.Errorf("the call has ended, but its result cannot be read: %w", err)
}
