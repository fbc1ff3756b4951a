package channel

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func frames(r io.Reader) (out []string, err error) {
	f := newFrameReader(r)
	for {
		frame, err := f.next()
		if err != nil {
			return out, err
		}
		out = append(out, string(frame))
	}
}

func TestFrames(t *testing.T) {
	long := strings.Repeat("x", MaxFrame)
	for name, c := range map[string]struct {
		in   string
		want []string
		err  error
	}{
		"two":          {"a\nb\n", []string{"a", "b"}, io.EOF},
		"empty lines":  {"\n \r\na\r\n\n", []string{"a"}, io.EOF},
		"half":         {"a\nb", []string{"a"}, io.ErrUnexpectedEOF},
		"nothing":      {"", nil, io.EOF},
		"longest":      {long + "\nb\n", []string{long, "b"}, io.EOF},
		"too long":     {"a\n" + long + "x\nb\n", []string{"a"}, ErrFrame},
		"without end":  {long + long, nil, ErrFrame},
		"only a space": {" ", nil, io.EOF},
	} {
		for how, r := range map[string]io.Reader{
			"whole":   strings.NewReader(c.in),
			"in half": iotest.HalfReader(strings.NewReader(c.in)),
		} {
			got, err := frames(r)
			if !errors.Is(err, c.err) || strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("%s, %s: %d frames, %v", name, how, len(got), err)
			}
		}
	}
}

// A connection that sent one long frame does not keep its buffer.
func TestFrameBufferIsLetGo(t *testing.T) {
	f := newFrameReader(strings.NewReader(strings.Repeat("x", MaxFrame) + "\na\n"))
	f.next()
	f.next()
	if cap(f.buf) > keepBuffer {
		t.Errorf("%d bytes kept", cap(f.buf))
	}
}

// Whatever comes, the decoder returns frames without line ends that are not
// too long, and a message or an error for each.
func FuzzFrames(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"task/status","params":{"text":"x"}}` + "\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":{},"method":7}` + "\n[]\n\x00\xff\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"task/artifact","params":{"parts":[{"raw":"AA=="},{"data":null}]}}` + "\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := newFrameReader(bytes.NewReader(in))
		for {
			frame, err := r.next()
			if err != nil {
				return
			}
			if len(frame) == 0 || len(frame) > MaxFrame || bytes.ContainsRune(frame, '\n') {
				t.Fatalf("a frame of %d bytes", len(frame))
			}
			m, fault := parseMessage(frame)
			if m == nil && fault == nil {
				t.Fatal("neither a message nor an error")
			}
			if fault != nil || m.params == nil {
				continue
			}
			for _, p := range []any{&statusParams{}, &artifactParams{}, &askParams{}, &doneParams{}, &usageParams{}, &callParams{}} {
				var e *Error
				if err := decode(m.params, p); err != nil && (!errors.As(err, &e) || e.Field == "") {
					t.Fatalf("an error without a field: %v", err)
				}
			}
		}
	})
}
