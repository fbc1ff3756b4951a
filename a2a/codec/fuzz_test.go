package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// seeds are requests and results of every dialect.
func seeds(f *testing.F) {
	for _, d := range dialects {
		f.Add(d.EncodeTask(goldenTask()))
		f.Add(d.EncodeSend(&a2a.SendResult{Task: goldenTask()}))
		f.Add(d.EncodeEvent(&a2a.Event{Status: &a2a.StatusUpdate{TaskID: "t", Status: goldenTask().Status}}, true))
		f.Add(d.EncodeEvent(&a2a.Event{Artifact: &a2a.ArtifactUpdate{Artifact: goldenTask().Artifacts[0]}}, false))
		f.Add(d.EncodeList(&a2a.TaskList{Tasks: []*a2a.Task{goldenTask()}}))
		f.Add([]byte(`{"message":` + string(d.EncodeSend(&a2a.SendResult{Message: goldenTask().Status.Message})) + `}`))
	}
	for _, raw := range []string{
		`{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]},"configuration":{"blocking":false,"historyLength":3}}`,
		`{"message":{"messageId":"m","role":"ROLE_USER","content":[{"data":{"data":{"value":1}},"metadata":{"data_part_compat":true}},{"data":null}]}}`,
		`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"pushNotification":{"id":"i","url":"u","token":"t","authentication":{"schemes":["Bearer"],"credentials":"c"}}}}`,
		`{"id":"x","history_length":"1e1","metadata":{"a":{}}}`, `{"name":"tasks/x"}`,
		`{"status":"working","pageSize":1.0,"includeArtifacts":"true"}`,
		"{\"id\":\"\xff\\ud800\u2028\"}", ` `, `null`, `[]`, `{"a\u0000":[{}, ]}`, strings.Repeat("[", 20000),
	} {
		f.Add([]byte(raw))
	}
}

// FuzzDecodeParams: no decoder panics; what they refuse is the client's fault,
// and what they take can be encoded and means the same again.
func FuzzDecodeParams(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		given := bytes.Clone(raw)
		root, err := parse(raw, maxElements)
		if blame(t, err); err != nil {
			return
		}
		in := Params{root.raw()}
		for _, d := range dialects {
			r, err := d.DecodeSend(in)
			blame(t, err)
			if err == nil && d.Require(&r.Message) == nil {
				again, err := codec10{}.DecodeSend(known(SendParams(r)))
				if diff := cmp.Diff(r, again, sameLists); err != nil || diff != "" {
					t.Fatalf("%s: %v (-first +second):\n%s", d.name, err, diff)
				}
			}
			_, err = d.DecodeGet(in, "")
			blame(t, err)
			_, err = d.DecodeCancel(in, "")
			blame(t, err)
			_, err = d.DecodeSubscribe(in, "")
			blame(t, err)
			_, err = d.DecodeList(in)
			blame(t, err)
		}
		if !bytes.Equal(given, raw) {
			t.Fatal("a decoder wrote to its input")
		}
	})
}

// sameLists lets an empty list be nil: the encoders leave it out.
var sameLists = cmp.FilterPath(func(p cmp.Path) bool {
	return p.Last().Type().Kind().String() == "slice" || p.Last().Type().Kind().String() == "map"
},
	cmp.FilterValues(func(a, b any) bool { return emptyList(a) && emptyList(b) }, cmp.Ignore()))

func emptyList(v any) bool {
	switch v := v.(type) {
	case []string:
		return len(v) == 0
	case a2a.Metadata:
		return len(v) == 0
	case []a2a.Part:
		return len(v) == 0
	}
	return false
}

// blame fails unless err is one that a client is told.
func blame(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, a2a.ErrInvalidParams) && !errors.Is(err, a2a.ErrParse) && !errors.Is(err, a2a.ErrPushNotSupported) {
		t.Fatalf("not the client's: %v", err)
	}
}

// FuzzDecodeResults: what a server answers is read or refused, and reads the
// same after a trip through each dialect.
func FuzzDecodeResults(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, read := range []func(json.RawMessage) error{
			func(b json.RawMessage) error { _, err := DecodeTask(b); return err },
			func(b json.RawMessage) error { _, err := DecodeTaskList(b); return err },
			func(b json.RawMessage) error { _, err := DecodeSendResult(b); return err },
		} {
			if err := read(raw); err != nil && !errors.Is(err, a2a.ErrInvalidAgentResponse) {
				t.Fatalf("not the server's: %v", err)
			}
		}
		e, err := DecodeEvent(raw)
		if err != nil {
			return
		}
		for _, d := range dialects {
			frame := d.EncodeEvent(e, false)
			if !json.Valid(frame) || !utf8.Valid(frame) || bytes.ContainsAny(frame, "\n\r\u2028\u2029") {
				t.Fatalf("%s: bad frame %q", d.name, frame)
			}
			if d.Version() == a2a.V10 {
				again, err := DecodeEvent(frame)
				if diff := cmp.Diff(e, again, events, sameLists); err != nil || diff != "" {
					t.Fatalf("%s: %v (-first +second):\n%s", d.name, err, diff)
				}
			}
		}
	})
}

// FuzzAppendString: a string means what it meant, but for bad bytes.
func FuzzAppendString(f *testing.F) {
	f.Add("plain")
	f.Add("\xff\u2028\x00\"\\ \xe4\xb8")
	f.Fuzz(func(t *testing.T, s string) {
		b := appendString(nil, s)
		var got string
		if err := json.Unmarshal(b, &got); err != nil || !utf8.Valid(b) {
			t.Fatalf("%q: %v", b, err)
		}
		if want := string([]rune(s)); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// FuzzOverlay: a card file is taken or refused, and a card stays a card.
func FuzzOverlay(f *testing.F) {
	f.Add([]byte(`{"name":"x","skills":[{"id":"a","name":"A","tags":["t"]}],"provider":{"organization":"o"},"capabilities":{"streaming":false}}`))
	f.Add([]byte(`{"skills":[{"id":"a"},{"id":"b","examples":null}],"defaultInputModes":[]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		c := testCard()
		if err := OverlayCard(c, file); err != nil {
			if diff := cmp.Diff(testCard(), c); diff != "" {
				t.Fatalf("a refused file changed the card:\n%s", diff)
			}
		}
		if b := EncodeCard(c, "http://h"); !json.Valid(b) {
			t.Fatalf("%q", b)
		}
	})
}

// FuzzCheck: what is JSON is what encoding/json says it is, the members of its root are
// passed as they are there, and each ends where it seems to end to who knows that it is
// right.
func FuzzCheck(f *testing.F) {
	seeds(f)
	for _, raw := range []string{
		`0`, `-0`, `01`, `-`, `1.`, `.5`, `1.5e`, `1e+`, `1E-07`, `2e5x`, `tru`, `truex`, `nul`, ` "a" `, `"\`, `"\u00`, `"\u00zz"`, `"\u00Ff"`, "\"\t\"", `"\x"`,
		`{}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{"a":1 "b":2}`, `{"a":{"b":[1,{}]},"c":"}"}`, `[1,]`, `[,1]`, `[1 2]`, `[}`, `{]`, `]`, `[[],{}]`, `{"a":[}`, `1 2`, `{}}`,
		strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var members [][]byte
		err := check(raw, maxResultDepth, func(key, value []byte) {
			if valueSize(value) != len(value) || stringSize(key) != len(key) {
				t.Fatalf("member %q of %q: %q", key, raw, value)
			}
			members = append(members, slices.Concat(key, []byte(":"), value))
		})
		if valid := json.Valid(raw); valid != (err == nil) {
			t.Fatalf("%.100q: %v, valid is %v", raw, err, valid)
		}
		if root := bytes.Trim(raw, jsonSpace); err != nil || root[0] != '{' {
			return
		}
		var want, got bytes.Buffer
		if json.Compact(&want, raw) != nil || json.Compact(&got, slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}"))) != nil || want.String() != got.String() {
			t.Fatalf("the members of %q are %q", raw, members)
		}
	})
}
