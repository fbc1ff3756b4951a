package term

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	// maxCastLine is the longest line of a recording that is read, in bytes.
	maxCastLine = 16 << 20
	// maxCastTime is the longest recording.
	maxCastTime = 100 * 365 * 24 * time.Hour
)

// CastKind is the code of an event in a recording.
type CastKind string

// The kinds of asciicast v2 and v3. Other kinds are passed on unchanged.
const (
	CastOutput CastKind = "o"
	CastInput  CastKind = "i"
	CastResize CastKind = "r"
	CastMarker CastKind = "m"
	CastExit   CastKind = "x" // v3 only: Data is the exit code
)

// CastHeader is the first line of a recording.
type CastHeader struct {
	Version    int // 2 or 3
	Cols, Rows int
	Command    string
	Title      string
	Env        map[string]string
	Recorded   time.Time // zero if the recording does not tell
}

// CastEvent is one thing that happened.
type CastEvent struct {
	At         time.Duration // time since the start, in both versions
	Kind       CastKind
	Data       string
	Cols, Rows int // for CastResize only
}

// ReadCast reads an asciicast recording, version 2 or 3. It reads the header at once, and the
// events when they are asked for, which can be done once. The first fault ends the events, and
// its error names the line. A last line that is incomplete is left out: the recorder was
// killed.
func ReadCast(r io.Reader) (CastHeader, iter.Seq2[CastEvent, error], error) {
	in := &castReader{in: bufio.NewReaderSize(r, 64<<10)}
	header, err := in.header()
	if err != nil {
		return CastHeader{}, nil, err
	}
	return header, func(yield func(CastEvent, error) bool) {
		for {
			e, err := in.event(header.Version)
			if errors.Is(err, io.EOF) || !yield(e, err) || err != nil {
				return
			}
		}
	}, nil
}

type castReader struct {
	in   *bufio.Reader
	line int
	at   time.Duration
}

// next returns the next line that is neither empty nor a comment.
func (c *castReader) next() (string, error) {
	for {
		var line []byte
		for {
			part, err := c.in.ReadSlice('\n')
			line = append(line, part...)
			if len(line) > maxCastLine {
				return "", fmt.Errorf("line %d: over %d bytes", c.line+1, maxCastLine)
			}
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				if errors.Is(err, io.EOF) && json.Valid(line) {
					break // complete, though its newline is missing
				}
				return "", err
			}
		}
		c.line++
		if text := strings.TrimSpace(string(line)); text != "" && text[0] != '#' {
			return text, nil
		}
	}
}

func (c *castReader) header() (CastHeader, error) {
	line, err := c.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return CastHeader{}, err
	}
	var h struct {
		Version, Width, Height int
		Term                   struct{ Cols, Rows int }
		Command, Title         string
		Env                    map[string]string
		Timestamp              float64
	}
	if err != nil || json.Unmarshal([]byte(line), &h) != nil || h.Version != 2 && h.Version != 3 {
		return CastHeader{}, errors.New("not an asciicast recording of version 2 or 3")
	}
	header := CastHeader{Version: h.Version, Cols: h.Width, Rows: h.Height, Command: h.Command, Title: h.Title, Env: h.Env}
	if h.Version == 3 {
		header.Cols, header.Rows = h.Term.Cols, h.Term.Rows
	}
	if h.Timestamp > 0 {
		header.Recorded = time.Unix(int64(h.Timestamp), 0)
	}
	return header, nil
}

func (c *castReader) event(version int) (e CastEvent, err error) {
	line, err := c.next()
	if err != nil {
		return e, err
	}
	var (
		seconds float64
		data    any
	)
	if err := json.Unmarshal([]byte(line), &[]any{&seconds, &e.Kind, &data}); err != nil {
		return e, fmt.Errorf("line %d: %w", c.line, err)
	}
	switch data := data.(type) {
	case string:
		e.Data = data
	case float64: // an exit code written as a number
		e.Data = strconv.FormatFloat(data, 'f', -1, 64)
	default:
		return e, fmt.Errorf("line %d: an event is [time, code, text]", c.line)
	}
	if version == 3 {
		seconds += c.at.Seconds()
	}
	if seconds < 0 || seconds > maxCastTime.Seconds() {
		return e, fmt.Errorf("line %d: %v s is no time", c.line, seconds)
	}
	c.at = time.Duration(math.Round(seconds*1e6)) * time.Microsecond
	e.At = c.at
	if e.Kind == CastResize {
		// fmt.Sscanf is not used, because nothing else links it: 30 KB.
		cols, rows, _ := strings.Cut(e.Data, "x")
		e.Cols, _ = strconv.Atoi(cols)
		if e.Rows, _ = strconv.Atoi(rows); e.Cols < 1 || e.Rows < 1 {
			return e, fmt.Errorf("line %d: a size is COLSxROWS", c.line)
		}
	}
	return e, nil
}
