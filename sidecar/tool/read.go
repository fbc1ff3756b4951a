package tool

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// maxPart is the most bytes of an image or a PDF that is returned: models take no larger image.
const maxPart = 5 << 20

// readChunk is how many bytes are handed out at once.
const readChunk = 32 << 10

// read reads a file.
func read() *Tool {
	return define(manifest.Definition{
		Name: "read",
		Description: "Read a file of the workspace. A text comes with its line numbers and a tab before each line, which are not in the file. At most 200 KB are returned at once: " +
			"read a longer file in parts, by lines (offset, limit) or by bytes (byte_offset, byte_limit). Images (PNG, JPEG, GIF, WebP) and PDFs of up to 5 MiB are returned as files; other files that are no text are refused. " +
			"The output_path of an earlier result that was cut can be read too. For a directory use glob; to find where something is in files use grep.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{
			"file_path":{"type":"string","minLength":1,"description":"the file: absolute, or relative to the workspace"},
			"offset":{"type":"integer","minimum":1,"maximum":9007199254740991,"description":"the first line, counted from 1"},
			"limit":{"type":"integer","minimum":1,"maximum":9007199254740991,"description":"how many lines"},
			"byte_offset":{"type":"integer","minimum":0,"maximum":9007199254740991,"description":"the first byte, counted from 0; instead of lines, and without line numbers"},
			"byte_limit":{"type":"integer","minimum":1,"maximum":9007199254740991,"description":"how many bytes; instead of lines, and without line numbers"},
			"raw":{"type":"boolean","description":"the text exactly as it is, without line numbers"}},
			"required":["file_path"],"additionalProperties":false}`),
		Effects: manifest.EffectsRead, Kind: "read", Timeout: fileTimeout,
		Requires: &manifest.Requires{FSRead: anywhere()}, Uses: manifest.Uses{FSRead: []string{"/file_path"}},
	}, runRead)
}

// readArgs are the arguments of read. 0 and nil: it was not given.
type readArgs struct {
	Path       string `json:"file_path"`
	Offset     int64
	Limit      int64
	ByteOffset *int64 `json:"byte_offset"`
	ByteLimit  int64  `json:"byte_limit"`
	Raw        bool
}

func (a *readArgs) bytes() bool { return a.ByteOffset != nil || a.ByteLimit > 0 }
func (a *readArgs) lines() bool { return a.Offset > 0 || a.Limit > 0 }

func runRead(ctx context.Context, c *Call) (*Result, error) {
	var args readArgs
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	if args.bytes() && args.lines() {
		return nil, errors.New("give lines (offset, limit) or bytes (byte_offset, byte_limit), and not both")
	}
	resolved, shown, err := c.FS.Path(args.Path)
	if err != nil {
		return nil, unusable(args.Path, "read", err)
	}
	f, err := c.FS.Open(args.Path)
	if err != nil {
		return nil, unusable(shown, "read", err)
	}
	defer f.Close()
	r := &reading{ctx: ctx, c: c, args: &args, f: f, resolved: resolved, shown: text.Show(shown)}
	if r.info, err = f.Stat(); err != nil {
		return nil, unusable(shown, "read", err)
	}
	head := make([]byte, text.Sniffed)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, unusable(shown, "read", err)
	}
	switch media, part := kindOf(head[:n]); {
	case part:
		return r.part(media)
	case media != "":
		return nil, fmt.Errorf("%s is no text in UTF-8 but %s: it cannot be shown", r.shown, media)
	case args.bytes():
		return nil, r.bytes()
	}
	return nil, r.lines()
}

// reading is one call of read.
type reading struct {
	ctx             context.Context
	c               *Call
	args            *readArgs
	f               Opened
	info            fs.FileInfo
	resolved, shown string
}

// part returns the whole file as it is.
func (r *reading) part(media string) (*Result, error) {
	tooLong := func(size int64) error {
		return fmt.Errorf("%s is %s of %d bytes, and %s is the most that is returned", r.shown, media, size, text.FormatSize(maxPart))
	}
	if r.info.Size() > maxPart {
		return nil, tooLong(r.info.Size())
	}
	content, err := io.ReadAll(io.LimitReader(r.f, maxPart+1))
	if err != nil {
		return nil, unusable(r.shown, "read", err)
	}
	if len(content) > maxPart {
		return nil, tooLong(int64(len(content)))
	}
	hash := sha256.Sum256(content)
	r.c.Session.sawFile(r.resolved, r.info, hash[:])
	_, err = fmt.Fprintf(r.c.Out, "%s is %s of %d bytes: it is returned as a file.", r.shown, media, len(content))
	return &Result{Files: []File{{Name: path.Base(r.resolved), MediaType: media, Content: content}}}, err
}

// bytes returns a range of bytes. A character of which only a part is in the range is left out.
func (r *reading) bytes() error {
	var from int64
	if r.args.ByteOffset != nil {
		from = *r.args.ByteOffset
	}
	size := r.info.Size()
	if from > size {
		return fmt.Errorf("byte_offset %d is after the end of %s, which has %d bytes", from, r.shown, size)
	}
	n := size - from
	if r.args.ByteLimit > 0 {
		n = min(n, r.args.ByteLimit)
	}
	in := io.NewSectionReader(r.f, from, n)
	var rest []byte // the beginning of a character
	buffer := make([]byte, readChunk)
	for first := true; ; first = false {
		got, err := in.Read(buffer[copy(buffer, rest):])
		chunk := buffer[:len(rest)+got]
		if first && from > 0 {
			chunk = text.Resume(chunk)
		}
		whole := chunk[:len(chunk)-text.Unfinished(chunk)]
		rest = append([]byte{}, chunk[len(whole):]...)
		if _, said := r.c.Out.Write(whole); said != nil {
			return said
		}
		switch {
		case errors.Is(err, io.EOF):
			r.c.Session.sawFile(r.resolved, r.info, nil)
			return nil
		case err != nil:
			return unusable(r.shown, "read", err)
		case r.ctx.Err() != nil:
			return context.Cause(r.ctx)
		}
	}
}

// lines returns lines, with their numbers unless they shall be raw. The file is read as a stream.
func (r *reading) lines() error {
	hash := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(r.f, hash), readChunk)
	out := bufio.NewWriterSize(r.c.Out, readChunk)
	l := &lineWriter{out: out, raw: r.args.Raw, first: max(r.args.Offset, 1), limit: r.args.Limit, line: 1}
	for {
		piece, err := in.ReadSlice('\n')
		if len(piece) > 0 && !l.write(piece) {
			break // there is more, and nobody wants it
		}
		if errors.Is(err, io.EOF) {
			l.last(r.info.Size() == 0)
			r.c.Session.sawFile(r.resolved, r.info, hash.Sum(nil))
			if err := l.missed(r.shown); err != nil {
				return err
			}
			return out.Flush()
		}
		switch {
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return unusable(r.shown, "read", err)
		case r.ctx.Err() != nil:
			return context.Cause(r.ctx)
		case l.err != nil:
			return l.err
		}
	}
	r.c.Session.sawFile(r.resolved, r.info, nil)
	return errors.Join(l.err, out.Flush())
}
