package call

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

func TestWaysToShowAResult(t *testing.T) {
	for _, tc := range []struct {
		name                                string
		r                                   result
		inline, title, summary, preview, in string
	}{
		{"text", result{outcome: Outcome{Case: Final}, data: quote("one\n\x1b[31mtwo\x1b[0m  three\n")},
			"one\n\x1b[31mtwo\x1b[0m  three\n", "acme.do", "38 bytes", "one two three", "acme.do final one two three"},
		{"JSON", result{outcome: Outcome{Case: Redacted}, data: json.RawMessage(`{"head":"[redacted]"}`), redacted: true},
			`{"head":"[redacted]"}`, "acme.do: redacted", "21 bytes, without its secrets", `{"head":"[redacted]"}`, `acme.do redacted {"head":"[redacted]"}`},
		{"a head", result{outcome: Outcome{Case: Truncated}, data: head(quote("begins")), truncated: true, redacted: true, path: "/tmp/x"},
			"begins", "acme.do: truncated", "17 bytes, the head, all of it is in a file, without its secrets", "begins", "acme.do truncated begins"},
		{"stopped", result{outcome: Outcome{Partial, TimedOut}, data: head(quote("begins")), truncated: true, text: "the time limit was reached"},
			"begins", "acme.do: partial", "17 bytes, stopped: timed out, the head", "begins", "acme.do partial begins"},
		{"an error", result{outcome: Outcome{Case: InvalidArguments}, text: "/city:\nmust be\u202e text"},
			"/city:\nmust be\u202e text", "acme.do: invalid arguments", "/city: must be text", "/city: must be text", "acme.do invalid_arguments /city: must be text"},
		{"nothing", result{outcome: Outcome{Case: Final}, data: quote("")}, "", "acme.do", "2 bytes", "", "acme.do final"},
		{"a file", result{outcome: Outcome{Case: Artifact}, data: json.RawMessage(`{"bytes":5}`), artifacts: make([]a2a.ArtifactUpdate, 1)},
			`{"bytes":5}`, "acme.do: artifact", "11 bytes, artifacts: 1", `{"bytes":5}`, `acme.do artifact {"bytes":5}`},
	} {
		r := &tc.r
		got := []string{inline(r, "acme.do"), title(r, "acme.do"), summary(r, "acme.do"), preview(r, "acme.do"), transcript(r, "acme.do")}
		for i, want := range []string{tc.inline, tc.title, tc.summary, tc.preview, tc.in} {
			if got[i] != want {
				t.Errorf("%s: way %d shows %q, want %q", tc.name, i, got[i], want)
			}
		}
	}
	long := &result{outcome: Outcome{Case: Final}, data: quote(strings.Repeat("é", 1<<20))}
	if n := len(preview(long, "t")); n < previewLimit || n > previewLimit+4 {
		t.Errorf("a preview has %d bytes", n)
	}
	if n := len(transcript(long, "t")); n < transcriptLimit || n > transcriptLimit+4 {
		t.Errorf("a line of a transcript has %d bytes", n)
	}
	if n := len(long.rendered("t")[ExtensionURI]); n > 8<<10 {
		t.Errorf("what is shown of a long result has %d bytes", n)
	}
}
