package oneshot

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// FuzzDecoder: no output of an agent makes the decoder fail otherwise than by
// its verdict, and it does not matter how it is cut.
func FuzzDecoder(f *testing.F) {
	f.Add(`{"type":"result","is_error":false,"result":"x"}`+"\n", 5, true)
	f.Add("noise {\"type\":\"init\"}\n{\"response\":\"a}b\\\"\"}", 9, false)
	f.Fuzz(func(t *testing.T, s string, at int, lines bool) {
		format := config.FormatJSON
		if lines {
			format = config.FormatStreamJSON
		}
		at = min(max(at, 0), len(s))
		read := func(chunks ...string) (string, spec.Ending) {
			kept := &driver.Capture{}
			d := newDecoder(format, nil, kept)
			for _, c := range chunks {
				d.write([]byte(c))
			}
			return string(kept.Kept), d.end()
		}
		text, v := read(s)
		cutText, w := read(s[:at], s[at:])
		if text != cutText || v.OK != w.OK || v.Reason != w.Reason {
			t.Errorf("%q %v, cut at %d: %q %v", text, v, at, cutText, w)
		}
		if !v.OK && v.Reason == "" {
			t.Error("failed without a reason")
		}
	})
}
