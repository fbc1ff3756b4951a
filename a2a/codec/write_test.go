package codec

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a"
)

func TestAppendString(t *testing.T) {
	tests := []struct{ in, want string }{
		{``, `""`},
		{`plain <b>&`, `"plain <b>&"`},
		{"\"\\\n\r\t\x00\x1f\x7f", "\"\\\"\\\\\\n\\r\\t\\u0000\\u001f\x7f\""},
		{"héllo 世界 🙂", `"héllo 世界 🙂"`},
		{"a\u2028b\u2029c", `"a\u2028b\u2029c"`},
		{"a\xffb", "\"a\ufffdb\""},
		{"\xe4\xb8", "\"\ufffd\ufffd\""},
		{"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""}, // a surrogate is no UTF-8
		{"\ufffd", "\"\ufffd\""},
	}
	for _, tt := range tests {
		if got := string(appendString(nil, tt.in)); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestAppendRaw(t *testing.T) {
	tests := []struct{ in, want string }{
		{``, `null`},
		{` { "a b" : [ 1 , "x  y" ] } `, `{"a b":[1,"x  y"]}`},
		{`"\" \\" `, `"\" \\"`},
		{`{"a":"b\\","c": "d"}`, `{"a":"b\\","c":"d"}`},
		{"\"a\u2028\xff\"", "\"a\\u2028\ufffd\""},
		{"[1,\n2]", `[1,2]`},
		{`not json`, `"not json"`}, // said, not lost
		{"{\"a\":\xff}", "\"{\\\"a\\\":\ufffd}\""},
		{`1e999`, `1e999`},
		{strings.Repeat("[", maxValueDepth) + strings.Repeat("]", maxValueDepth), strings.Repeat("[", maxValueDepth) + strings.Repeat("]", maxValueDepth)},
		{strings.Repeat("[", maxValueDepth+1) + strings.Repeat("]", maxValueDepth+1), `"` + strings.Repeat("[", maxValueDepth+1) + strings.Repeat("]", maxValueDepth+1) + `"`},
	}
	for _, tt := range tests {
		if got := string(appendRaw(nil, json.RawMessage(tt.in))); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

// Whatever an agent says, a frame is one line of valid JSON in valid UTF-8.
func TestFramesAreOneLine(t *testing.T) {
	nasty := "\xff\u2028\u2029\n\r\x00\"\\</script>\xe4\xb8"
	metadata := a2a.Metadata{nasty: json.RawMessage("{\n\"a\": \"\u2028\xff\"}"), "bad": json.RawMessage("{oops\n")}
	event := &a2a.Event{Artifact: &a2a.ArtifactUpdate{
		TaskID: nasty, ContextID: nasty, Metadata: metadata,
		Artifact: a2a.Artifact{ID: nasty, Name: nasty, Description: nasty, Extensions: []string{nasty}, Parts: []a2a.Part{
			{Kind: a2a.PartText, Text: nasty, MediaType: nasty, Filename: nasty, Metadata: metadata},
			{Kind: a2a.PartRaw, Raw: []byte(nasty), MediaType: nasty, Filename: nasty},
			{Kind: a2a.PartURL, URL: nasty},
			{Kind: a2a.PartData, Data: json.RawMessage("[\n\"\u2028\xff\"]")},
			{Kind: a2a.PartData, Data: json.RawMessage("{\n\"\u2028\xff\": 1}")},
			{Kind: a2a.PartData, Data: json.RawMessage("{oops")},
			{Kind: a2a.PartData},
			{},
		}},
	}}
	for _, d := range dialects {
		got := d.EncodeEvent(event, false)
		if !json.Valid(got) || !utf8.Valid(got) || bytes.ContainsAny(got, "\n\r\u2028\u2029\x00") {
			t.Errorf("%s: %q", d.name, got)
		}
	}
}

// The budget of a frame in newFrame is what keeps text chunks at one allocation.
func TestTextChunkAllocations(t *testing.T) {
	text := strings.Repeat("some output of an agent, line after line\n", 100)
	for _, d := range dialects {
		allocs := testing.AllocsPerRun(100, func() { d.EncodeEvent(textChunk(text), false) })
		if allocs > 8 {
			t.Errorf("%s: %v allocations for a text chunk, made and encoded", d.name, allocs)
		}
	}
}

func textChunk(text string) *a2a.Event {
	return &a2a.Event{Artifact: &a2a.ArtifactUpdate{
		TaskID: "0b0ca22c-6d5f-4b39-9b7c-7f0c7b1f1a7e", ContextID: "5cf8e8a7-55a2-4a0c-8f0e-9e3f1d2c4b5a",
		Artifact: a2a.Artifact{ID: "response", Name: "response", Parts: []a2a.Part{a2a.TextPart(text)}}, Append: true,
	}}
}

// BenchmarkEncodeChunk compares a text chunk's frame with json.Marshal of a
// struct of the same shape.
func BenchmarkEncodeChunk(b *testing.B) {
	type part struct {
		Text string `json:"text"`
	}
	type artifact struct {
		ArtifactID string `json:"artifactId"`
		Name       string `json:"name,omitempty"`
		Parts      []part `json:"parts"`
	}
	type update struct {
		TaskID    string   `json:"taskId"`
		ContextID string   `json:"contextId"`
		Artifact  artifact `json:"artifact"`
		Append    bool     `json:"append,omitempty"`
	}
	type event struct {
		ArtifactUpdate *update `json:"artifactUpdate,omitempty"`
	}
	for _, size := range []struct {
		name string
		n    int
	}{{"64B", 64}, {"32KiB", 32 << 10}} {
		text := strings.Repeat("some output of an agent, line after line\n", size.n/41+1)[:size.n]
		b.Run(size.name+"/append", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size.n))
			for b.Loop() {
				codec10{}.EncodeEvent(textChunk(text), false)
			}
		})
		b.Run(size.name+"/Marshal", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size.n))
			for b.Loop() {
				e := textChunk(text).Artifact
				_, err := json.Marshal(event{&update{e.TaskID, e.ContextID, artifact{e.Artifact.ID, e.Artifact.Name, []part{{e.Artifact.Parts[0].Text}}}, e.Append}})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
