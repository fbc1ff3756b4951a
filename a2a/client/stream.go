package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// stream is a stream that is received over HTTP.
type stream struct {
	resp   *http.Response
	cancel context.CancelFunc
	sse    *sseReader
	first  []*a2a.Event // read when the stream was opened
}

var _ a2a.Stream = (*stream)(nil)

// Next waits for the next event. It returns one complete event at a time, with its ID; an
// incomplete event is not returned.
func (s *stream) Next(ctx context.Context) ([]*a2a.Event, error) {
	if first := s.first; first != nil {
		s.first = nil
		return first, nil
	}
	defer context.AfterFunc(ctx, s.cancel)()
	e, err := s.next()
	switch {
	case err == nil:
		return []*a2a.Event{e}, nil
	case ctx.Err() != nil: // this is why reading failed
		return nil, context.Cause(ctx)
	}
	return nil, err
}

// peek returns a stream that is known to be short. It returns an error if the stream begins
// with one: that is how a server refuses to open a stream.
func (s *stream) peek(ctx context.Context) (a2a.Stream, error) {
	first, err := s.Next(ctx)
	if err != nil {
		s.Close()
		return nil, err
	}
	s.first = first
	return s, nil
}

// next reads one event.
func (s *stream) next() (*a2a.Event, error) {
	data, err := s.sse.next()
	if err != nil {
		return nil, err
	}
	result, err := resultOf(s.resp, data)
	if err != nil {
		return nil, err
	}
	e, err := codec.DecodeEvent(result)
	if err == nil {
		e.ID = s.sse.id
	}
	return e, err
}

// Close ends the request.
func (s *stream) Close() {
	s.cancel()
	s.resp.Body.Close()
}

// errLongFrame ends a stream that has an item above the size limit.
var errLongFrame = errors.New("a2a: an item of the stream is too long")

// sseReader reads the data and the ids of server-sent events. Lines may be of
// any length up to the limit of an event's data; comments and other fields are
// skipped.
type sseReader struct {
	r     *bufio.Reader
	limit int
	data  []byte
	id    uint64 // the ID of the event that next returned, 0 for none
}

func newSSEReader(r io.Reader, limit int) *sseReader {
	return &sseReader{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next returns the data of the next event that has data. It is valid until the following
// call. io.EOF says that the stream ended between events; an unfinished event is dropped
// with io.ErrUnexpectedEOF.
func (s *sseReader) next() ([]byte, error) {
	s.data, s.id = s.data[:0], 0
	for has := false; ; {
		line, err := s.line()
		switch {
		case err != nil:
			if errors.Is(err, io.EOF) && (has || len(line) > 0) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		case len(line) == 0 && has:
			return s.data, nil
		}
		if id, ok := bytes.CutPrefix(line, []byte("id:")); ok {
			s.id = a2a.ParseEventID(string(bytes.TrimPrefix(id, []byte(" "))))
			continue
		}
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		if has {
			s.data = append(s.data, '\n')
		}
		s.data = append(s.data, bytes.TrimPrefix(value, []byte(" "))...)
		if has = true; len(s.data) > s.limit {
			return nil, fmt.Errorf("%w: more than %d bytes", errLongFrame, s.limit)
		}
	}
}

// line returns the next line without its end.
func (s *sseReader) line() ([]byte, error) {
	line, err := s.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(long) > s.limit {
				return nil, fmt.Errorf("%w: more than %d bytes", errLongFrame, s.limit)
			}
			line, err = s.r.ReadSlice('\n')
			long = append(long, line...)
		}
		line = long
	}
	if err != nil {
		return line, err
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}
