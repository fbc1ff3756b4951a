package oneshot

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// TestLongDocuments: agents put whole files into one line. A document that is longer
// than can be read is left out, and spoils nothing that comes after it.
func TestLongDocuments(t *testing.T) {
	const last = `{"type":"result"}`
	for _, c := range []struct {
		lines  bool
		length int
		want   []int
	}{
		{true, 11 << 20, []int{11 << 20, len(last)}},
		{false, 4 << 20, []int{4 << 20, len(last)}},
		{true, maxDocument + 1, []int{len(last)}},
	} {
		var got []int
		s := splitter{lines: c.lines, each: func(doc []byte) { got = append(got, len(doc)) }}
		s.write([]byte("noise first\n"))
		s.write([]byte(`{"`))
		piece := []byte(strings.Repeat("x", 1<<20))
		for left := c.length - len(`{""}`); left > 0; left -= len(piece) {
			s.write(piece[:min(left, len(piece))])
		}
		s.write([]byte("\"}\n" + last))
		s.end()
		if !slices.Equal(got, c.want) || s.dropped != 2-len(c.want) {
			t.Errorf("lines %t, %d bytes: read %d, dropped %d", c.lines, c.length, got, s.dropped)
		}
	}
}

// TestLongFinalEvent: that there is no final event may be because it was too long.
func TestLongFinalEvent(t *testing.T) {
	d := newDecoder(config.FormatStreamJSON, nil, &driver.Capture{})
	d.write(make([]byte, maxDocument+1))
	if said := d.end(); said.Final || !strings.Contains(said.Reason, "longer than can be read") {
		t.Errorf("%+v", said)
	}
}
