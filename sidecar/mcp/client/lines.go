package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// The limits of a stream.
const (
	maxGarbage = 1_000    // lines that are no message, in a row: programs print a banner, or a warning
	maxID      = 256      // bytes of a message's id
	readBuffer = 64 << 10 // bytes
	endsKept   = 512      // bytes of a line that is too long, from either end, to find its id
	maxBatch   = 1_000    // messages; what is beyond them is dropped
	maxSkipped = 64       // times the limit of a message: a longer line does not end
)

// lines is a connection of one JSON message a line. Unlike the SDK's, it outlives lines that
// are no message and lines that are too long.
type lines struct {
	r     *bufio.Reader
	from  io.Closer
	w     io.Writer
	to    io.Closer
	limit int64

	queue   []json.RawMessage // the rest of a batch (2025-03-26)
	garbage int               // lines in a row
	noise   noise             // garbage altogether

	writing chan struct{} // has room for the one that writes: a line is written whole
	closing sync.Once
	closed  error
}

// tooLong is returned by Read for a line that is longer than the limit, and was skipped. The
// connection goes on.
type tooLong struct {
	limit int64
	id    int64 // of the answer that it was, 0 if it is not known
}

func (e *tooLong) Error() string {
	return "the server sent a message of more than " + text.FormatSize(e.limit)
}

func newLines(r io.ReadCloser, w io.WriteCloser, limit int64) *lines {
	return &lines{r: bufio.NewReaderSize(r, readBuffer), from: r, w: w, to: w, limit: limit, writing: make(chan struct{}, 1)}
}

// Read returns the next message.
func (l *lines) Read(context.Context) (jsonrpc.Message, error) {
	for {
		if len(l.queue) > 0 {
			raw := l.queue[0]
			l.queue = l.queue[1:]
			if m := decode(raw); m != nil {
				return m, nil
			}
			continue
		}
		line, err := l.line()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if line[0] == '[' {
			l.queue = batch(line)
		} else if m := decode(line); m != nil {
			l.garbage = 0
			return m, nil
		}
		if l.garbage++; l.garbage > maxGarbage {
			return nil, fmt.Errorf("it printed %d lines that are no messages", maxGarbage)
		}
		if err := l.noise.count(time.Now(), len(line)); err != nil {
			return nil, err
		}
	}
}

// line reads a line. One that is too long is not kept: of it, the ends are.
func (l *lines) line() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if int64(len(line)+len(part)) > l.limit {
			return nil, l.skip(line, part, err)
		}
		if err == nil && line == nil {
			return bytes.Clone(part), nil
		}
		if free := cap(line) - len(line); free < len(part) { // by doubling, and no further than is needed
			line = slices.Grow(line, int(min(max(int64(len(line)), readBuffer), l.limit-int64(len(line)))))
		}
		line = append(line, part...)
		if err == nil || errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// skip reads the rest of a line that is too long.
func (l *lines) skip(line, part []byte, err error) error {
	head := slices.Concat(line[:min(len(line), endsKept)], part[:min(len(part), endsKept)])
	tail := slices.Concat(line[max(0, len(line)-endsKept):], part[max(0, len(part)-endsKept):])
	left := maxSkipped * l.limit
	for errors.Is(err, bufio.ErrBufferFull) {
		var part []byte
		part, err = l.r.ReadSlice('\n')
		if left -= int64(len(part)); left < 0 {
			return fmt.Errorf("it sent a line of more than %d times %s", maxSkipped, text.FormatSize(l.limit))
		}
		tail = append(tail, part[max(0, len(part)-endsKept):]...)
		tail = bytes.Clone(tail[max(0, len(tail)-endsKept):])
	}
	if err != nil {
		return err
	}
	return &tooLong{limit: l.limit, id: idOf(head, tail)}
}

var (
	idAhead  = regexp.MustCompile(`^\s*\{(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*(\d{1,15})\s*,`)
	idBehind = regexp.MustCompile(`,\s*"id":\s*(\d{1,15})\s*(?:,\s*"jsonrpc":\s*"2\.0"\s*)?\}\s*$`)
)

// idOf finds an answer's id where servers write it: at the beginning or at the end. A server
// that lies harms a call of its own.
func idOf(head, tail []byte) int64 {
	m := idAhead.FindSubmatch(head)
	if m == nil {
		m = idBehind.FindSubmatch(tail)
	}
	if m == nil {
		return 0
	}
	id, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return id
}

// batch returns the messages of a batch, as far as they can be read.
func batch(line []byte) (all []json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil {
		return nil
	}
	for d.More() && len(all) < maxBatch {
		var one json.RawMessage
		if d.Decode(&one) != nil {
			break
		}
		all = append(all, one)
	}
	return all
}

// decode decodes a message, nil if it is none. What does not matter stays as it came.
func decode(raw []byte) jsonrpc.Message {
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(raw, &m) != nil || m.Version != "2.0" || len(m.ID) > maxID {
		return nil
	}
	var value any
	if len(m.ID) > 0 && json.Unmarshal(m.ID, &value) != nil {
		return nil
	}
	id, err := jsonrpc.MakeID(value)
	if err != nil {
		return nil
	}
	if m.Method != nil {
		return &jsonrpc.Request{ID: id, Method: *m.Method, Params: m.Params}
	}
	if !id.IsValid() {
		return nil
	}
	answer := &jsonrpc.Response{ID: id, Result: m.Result}
	if len(m.Error) > 0 && string(m.Error) != "null" {
		e := &jsonrpc.Error{}
		if json.Unmarshal(m.Error, e) != nil {
			e = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "an error that is no error object"}
		}
		answer.Error = e
	}
	return answer
}

// Write writes a message. Once it has begun, it does not return before the server has read it,
// or Close was called.
func (l *lines) Write(ctx context.Context, m jsonrpc.Message) error {
	b, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	select {
	case l.writing <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-l.writing }()
	_, err = l.w.Write(append(b, '\n'))
	return err
}

// Close closes both directions, the server's input first.
func (l *lines) Close() error {
	l.closing.Do(func() { l.closed = errors.Join(l.to.Close(), l.from.Close()) })
	return l.closed
}

func (l *lines) SessionID() string { return "" }
