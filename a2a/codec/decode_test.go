package codec

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// events compares what was decoded, not what is cached.
var events = cmpopts.IgnoreUnexported(a2a.Event{})

func ptr[T any](v T) *T { return &v }

// Each dialect's clients send the same request; so do those that mix them.
func TestDecodeSendDialects(t *testing.T) {
	want := &a2a.SendRequest{
		Message: a2a.Message{
			ID: "m", ContextID: "c", TaskID: "t", Role: a2a.RoleUser,
			Parts: []a2a.Part{
				{Kind: a2a.PartText, Text: "hi"},
				{Kind: a2a.PartRaw, Raw: []byte("\xff\xfe"), MediaType: "image/png", Filename: "a.png"},
				{Kind: a2a.PartURL, URL: "http://x", MediaType: "text/html"},
				{Kind: a2a.PartData, Data: json.RawMessage(`{"a":1}`), Metadata: a2a.Metadata{"k": json.RawMessage(`true`)}},
				{Kind: a2a.PartData, Data: json.RawMessage(`7`)},
			},
			Metadata:         a2a.Metadata{"snake_key": json.RawMessage(`{"in_ner":1}`)},
			Extensions:       []string{"urn:x"},
			ReferenceTaskIDs: []string{"r"},
		},
		HistoryLength:     ptr(2),
		ReturnImmediately: true,
		AcceptedModes:     []string{"text/plain"},
		Metadata:          a2a.Metadata{"m": json.RawMessage(`null`)},
	}
	const rest = `"metadata":{"snake_key":{"in_ner":1}},"extensions":["urn:x"]`
	tests := map[string]struct {
		codec Dialect
		raw   string
	}{
		"1.0": {codec10{}, `{"tenant":"","message":{"messageId":"m","contextId":"c","taskId":"t","role":"ROLE_USER","parts":[
			{"text":"hi"},{"raw":"//4=","mediaType":"image/png","filename":"a.png"},{"url":"http://x","mediaType":"text/html"},
			{"data":{"a":1},"metadata":{"k":true}},{"data":7}],"referenceTaskIds":["r"],` + rest + `},
			"configuration":{"acceptedOutputModes":["text/plain"],"historyLength":2,"returnImmediately":true},"metadata":{"m":null}}`},
		"1.0 snake": {codec10{}, `{"message":{"message_id":"m","context_id":"c","task_id":"t","role":"ROLE_USER","parts":[
			{"text":"hi"},{"raw":"__4","media_type":"image/png","filename":"a.png"},{"url":"http://x","media_type":"text/html"},
			{"data":{"a":1},"metadata":{"k":true}},{"data":7}],"reference_task_ids":["r"],` + rest + `},
			"configuration":{"accepted_output_modes":["text/plain"],"history_length":"2","return_immediately":true},"metadata":{"m":null}}`},
		"0.3": {codec03{}, `{"message":{"kind":"message","messageId":"m","contextId":"c","taskId":"t","role":"user","parts":[
			{"kind":"text","text":"hi"},{"kind":"file","file":{"bytes":"//4=","mimeType":"image/png","name":"a.png"}},
			{"kind":"file","file":{"uri":"http://x","mimeType":"text/html"}},
			{"kind":"data","data":{"a":1},"metadata":{"k":true}},
			{"kind":"data","data":{"value":7},"metadata":{"data_part_compat":true}}],"referenceTaskIds":["r"],` + rest + `},
			"configuration":{"acceptedOutputModes":["text/plain"],"historyLength":2,"blocking":false},"metadata":{"m":null}}`},
		"0.3 without kinds and role": {codec03{}, `{"message":{"role":"ROLE_USER","messageId":"m","contextId":"c","taskId":"t","parts":[
			{"text":"hi"},{"file":{"bytes":"//4=","mime_type":"image/png","name":"a.png"}},
			{"file":{"uri":"http://x","mimeType":"text/html"}},{"data":{"a":1},"metadata":{"k":true}},
			{"data":7}],"referenceTaskIds":["r"],` + rest + `},
			"configuration":{"acceptedOutputModes":["text/plain"],"historyLength":2e0,"blocking":false},"metadata":{"m":null}}`},
		"0.3 REST": {codec03REST{}, `{"message":{"messageId":"m","contextId":"c","taskId":"t","role":"ROLE_USER","content":[
			{"text":"hi"},{"file":{"fileWithBytes":"//4=","mimeType":"image/png","name":"a.png"}},
			{"file":{"fileWithUri":"http://x","mimeType":"text/html"}},
			{"data":{"data":{"a":1}},"metadata":{"k":true}},
			{"data":{"data":{"value":7}},"metadata":{"data_part_compat":true}}],"referenceTaskIds":["r"],` + rest + `},
			"configuration":{"acceptedOutputModes":["text/plain"],"historyLength":2},"metadata":{"m":null}}`},
		"0.3 REST in 1.0's shape": {codec03REST{}, `{"message":{"messageId":"m","contextId":"c","taskId":"t","role":"user","parts":[
			{"text":"hi"},{"raw":"//4=","mediaType":"image/png","filename":"a.png"},{"url":"http://x","mediaType":"text/html"},
			{"data":{"a":1},"metadata":{"k":true}},{"data":7}],"referenceTaskIds":["r"],` + rest + `},
			"configuration":{"acceptedOutputModes":["text/plain"],"historyLength":2,"returnImmediately":true},"metadata":{"m":null}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tt.codec.DecodeSend(known(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A send waits unless the client says otherwise, in any dialect's words.
func TestDecodeSendWaits(t *testing.T) {
	tests := []struct {
		codec Dialect
		conf  string
		want  bool // returns at once
	}{
		{codec10{}, `null`, false},
		{codec10{}, `{}`, false},
		{codec10{}, `{"returnImmediately":false}`, false},
		{codec10{}, `{"returnImmediately":true}`, true},
		{codec10{}, `{"blocking":false}`, true},
		{codec03{}, `{}`, false},
		{codec03{}, `{"blocking":true}`, false},
		{codec03{}, `{"blocking":false}`, true},
		{codec03{}, `{"returnImmediately":true}`, true},
		{codec03REST{}, `null`, false},
		{codec03REST{}, `{"blocking":true}`, false},
		{codec03REST{}, `{"returnImmediately":false}`, false},
		{codec03REST{}, `{"historyLength":1}`, true}, // proto-JSON leaves false out
	}
	for _, tt := range tests {
		r, err := tt.codec.DecodeSend(known(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":` + tt.conf + `}`))
		if err != nil {
			t.Errorf("%T %s: %v", tt.codec, tt.conf, err)
		} else if r.ReturnImmediately != tt.want {
			t.Errorf("%T %s: returns at once: %v", tt.codec, tt.conf, r.ReturnImmediately)
		}
	}
}

// What is wrong is said with its place and the fix, in one code.
func TestDecodeSendRefuses(t *testing.T) {
	part := func(p string) string {
		return `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"ok"},` + p + `]}}`
	}
	tests := []struct{ raw, want string }{
		{``, `message is missing: send {"message":`},
		{`null`, `message is missing`},
		{`{}`, `message is missing`},
		{`{"message":null}`, `message is missing`},
		{`[]`, `params must be an object, not a list`},
		{`"x"`, `params must be an object, not a string`},
		{`{"message":[]}`, `message: must be an object, not a list`},
		{`{"message":{"messageId":"m","role":"ROLE_USER","parts":{}}}`, `message.parts: must be a list, not an object`},
		{`{"message":{"messageId":"m","role":"ROLE_USER","parts":[null]}}`, `message.parts[0]: must be an object such as {"text":"…"}, not null`},
		{`{"message":{"messageId":7}}`, `message.messageId: must be a string, not a number`},
		{`{"message":{"context_id":true}}`, `message.contextId: must be a string, not a boolean`},
		{`{"message":{"role":"boss"}}`, `message.role: unknown role "boss": send ROLE_USER or ROLE_AGENT`},
		{`{"message":{"extensions":["a",1]}}`, `message.extensions[1]: must be a string, not a number`},
		{`{"message":{"metadata":[]}}`, `message.metadata: must be an object, not a list`},
		{`{"message":{},"configuration":{"historyLength":1.5}}`, `configuration.historyLength: must be an integer`},
		{`{"message":{},"configuration":{"historyLength":1e999999}}`, `configuration.historyLength: must be an integer`},
		{`{"message":{},"configuration":{"historyLength":99999999999999999999}}`, `configuration.historyLength: must be an integer`},
		{`{"message":{},"configuration":{"blocking":"perhaps"}}`, `configuration.blocking: must be true or false, not a string`},
		{part(`{}`), `message.parts[1]: has no content: send one of text, raw, url and data`},
		{part(`{"text":null}`), `message.parts[1]: has no content`},
		{part(`{"kind":"file","file":{}}`), `message.parts[1].file: has no content: send bytes or uri`},
		{part(`{"text":"a","data":1}`), `message.parts[1]: has both text and data: send them as two parts`},
		{part(`{"text":"a","file":{"uri":"x"}}`), `has both text and uri`},
		{part(`{"text":5}`), `message.parts[1].text: must be a string, not a number`},
		{part(`{"raw":"!"}`), `message.parts[1].raw: must be base64`},
		{part(`{"kind":"data","text":"x"}`), `message.parts[1]: kind is "data" but the content is text`},
		{part(`{"kind":"image","text":"x"}`), `message.parts[1]: kind is "image"`},
		{`{"message":{"messageId":"m","role":"ROLE_USER","parts":[` + strings.Repeat(`{"text":""},`, maxElements) + `{"text":""}]}}`, `message.parts: has too many elements: there may be 10000 in all`},
		{`{"message":{"metadata":{` + manyMembers(maxElements+1) + `}}}`, `message.metadata: has too many elements: there may be 10000 in all`},
		{`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"","metadata":{` + manyMembers(maxElements/2) + `}},{"text":"","metadata":{` + manyMembers(maxElements/2) + `}}]}}`, `message.parts[1].metadata: has too many elements`},
	}
	for _, tt := range tests {
		_, err := codec10{}.DecodeSend(known(tt.raw))
		if !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("%.80s: %v is not ErrInvalidParams", tt.raw, err)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.80s:\n got %q\nwant %q", tt.raw, err, tt.want)
		}
	}
}

// TestPartType: a part of 0.3 that has no kind may say it as the first versions did,
// by type, and then must say the truth (0.3.0 §6.5). With a kind, and in 1.0, type is a
// member like any other that is not known.
func TestPartType(t *testing.T) {
	const refused = `message.parts[0]: type is "unsupported_type" but the content is text`
	tests := []struct{ part, want string }{
		{`{"type":"text","text":"x"}`, ""},
		{`{"type":"file","file":{"uri":"x"}}`, ""},
		{`{"type":"data","data":{"a":1}}`, ""},
		{`{"text":"x","type":null}`, ""},
		{`{"type":"unsupported_type","text":"x"}`, refused},
		{`{"text":"x","type":"unsupported_type"}`, refused},
		{`{"type":"text","data":{"a":1}}`, `type is "text" but the content is data`},
		{`{"type":1,"text":"x"}`, `message.parts[0].type: must be a string, not a number`},
		{`{"type":"unsupported_type","text":"x","kind":"text"}`, ""},
		{`{"type":"text","text":"x","kind":"data"}`, `kind is "data" but the content is text`},
	}
	for _, tt := range tests {
		raw := json.RawMessage(`{"message":{"messageId":"m","role":"user","parts":[` + tt.part + `]}}`)
		for name, c := range map[string]Dialect{"JSON-RPC": codec03{}, "REST": codec03REST{}} {
			_, err := c.DecodeSend(known(raw))
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("%s: %s: %v", name, tt.part, err)
			case tt.want != "" && (!errors.Is(err, a2a.ErrInvalidParams) || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%s: %s:\n got %v\nwant %s", name, tt.part, err, tt.want)
			}
		}
		if _, err := (codec10{}).DecodeSend(known(raw)); err != nil && !strings.Contains(tt.want, "kind is") {
			t.Errorf("1.0: %s: %v", tt.part, err)
		}
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + a2a.NewID() + `":0`)
	}
	return b.String()
}

// known returns parameters that are JSON, however deep and in whatever bytes.
func known[T ~string | ~[]byte](raw T) Params {
	root, err := parse([]byte(raw), maxElements)
	if err != nil {
		panic(err)
	}
	return Params{root.raw()}
}

func TestNotJSON(t *testing.T) {
	deep := strings.Repeat("[", 1<<20)
	for _, raw := range []string{`{`, `{"message":}`, `{"message":{}} x`, "\x00", deep, deep + strings.Repeat("]", 1<<20)} {
		_, err := parse([]byte(raw), maxElements)
		if !errors.Is(err, a2a.ErrParse) || !strings.Contains(err.Error(), "at byte ") {
			t.Errorf("%.20q: %v", raw, err)
		}
		if _, err := ReadParams([]byte(raw)); err == nil {
			t.Errorf("%.20q is read", raw)
		}
	}
}

func TestDecodeSendPush(t *testing.T) {
	for _, key := range []string{"pushNotificationConfig", "taskPushNotificationConfig", "task_push_notification_config", "pushNotification"} {
		for _, auth := range []string{`{"scheme":"Bearer","credentials":"c"}`, `{"schemes":["Bearer","Basic"],"credentials":"c"}`} {
			r, err := codec10{}.DecodeSend(known(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"` + key + `":{"id":"i","url":"http://x","token":"t","authentication":` + auth + `}}}`))
			want := &a2a.PushConfig{ID: "i", URL: "http://x", Token: "t", Scheme: "Bearer", Credentials: "c"}
			if err != nil || cmp.Diff(want, r.Push) != "" {
				t.Errorf("%s: %v %+v", key, err, r)
			}
		}
	}
}

// Depth, size of numbers and bad text of what is only passed on do no harm.
func TestDecodeSendOddValues(t *testing.T) {
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	tests := []struct{ raw, want string }{
		{deep, deep},
		{`-1E+99999`, `-1E+99999`},
		{"{\n\t\"b\" : 1 ,\r\n \"a\" : \"x\\\" y\\u2028\" }", `{"b":1,"a":"x\" y\u2028"}`},
		{"\"a\xff\u2028b\"", "\"a\ufffd\\u2028b\""},
		{`null`, `null`},
		{`""`, `""`},
		{`"\ud800"`, `"\ud800"`},
	}
	for _, tt := range tests {
		r, err := codec10{}.DecodeSend(known(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":` + tt.raw + `}]}}`))
		if err != nil {
			t.Errorf("%.40q: %v", tt.raw, err)
		} else if got := string(r.Message.Parts[0].Data); got != tt.want {
			t.Errorf("%.40q: got %.80q, want %.80q", tt.raw, got, tt.want)
		}
	}
	r, err := codec10{}.DecodeSend(known("{\"message\":{\"parts\":[{\"text\":\"a\xffb\\ud800\\u00e9\"}]}}"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Message.Parts[0].Text, "a\ufffdb\ufffdé"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

func TestDecodeIDs(t *testing.T) {
	get, err := codec10{}.DecodeGet(known(`{"id":"a","history_length":0}`), "")
	if err != nil || get.ID != "a" || get.HistoryLength == nil || *get.HistoryLength != 0 {
		t.Errorf("get: %+v, %v", get, err)
	}
	if get, err = (codec03REST{}).DecodeGet(known(`{"name":"tasks/a"}`), ""); err != nil || get.ID != "a" || get.HistoryLength != nil {
		t.Errorf("get by resource name: %+v, %v", get, err)
	}
	cancel, err := codec03{}.DecodeCancel(known(`{"id":"a","metadata":{"k":1}}`), "")
	if diff := cmp.Diff(&a2a.CancelRequest{ID: "a", Metadata: a2a.Metadata{"k": json.RawMessage(`1`)}}, cancel); err != nil || diff != "" {
		t.Errorf("cancel: %v %s", err, diff)
	}
	if cancel, err = (codec10{}).DecodeCancel(Params{}, "path"); err != nil || cancel.ID != "path" {
		t.Errorf("cancel without a body: %+v, %v", cancel, err)
	}
	subscribe, err := codec10{}.DecodeSubscribe(known(`{"id":"body"}`), "path")
	if err != nil || subscribe.ID != "path" {
		t.Errorf("the path should win: %+v, %v", subscribe, err)
	}
	for _, raw := range []string{``, `{}`, `{"id":""}`, `{"id":null}`, `{"id":7}`, `[]`} {
		_, err := codec10{}.DecodeSubscribe(known(raw), "")
		if !errors.Is(err, a2a.ErrInvalidParams) || !strings.Contains(err.Error(), "id") && raw != `[]` {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestDecodeList(t *testing.T) {
	want := &a2a.ListRequest{
		ContextID: "c", State: a2a.StateWorking, PageSize: 7, PageToken: "true", HistoryLength: ptr(-1),
		StatusAfter: "2026-01-01T00:00:00Z", IncludeArtifacts: true,
	}
	got, err := codec10{}.DecodeList(known(`{"contextId":"c","status":"TASK_STATE_WORKING","pageSize":7,"page_token":"true",
		"historyLength":-1,"statusTimestampAfter":"2026-01-01T00:00:00Z","includeArtifacts":true}`))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("params: %v %s", err, diff)
	}
	q, _ := url.ParseQuery("contextId=c&status=working&page_size=7&pageToken=true&historyLength=-1&lastUpdatedAfter=2026-01-01T00:00:00Z&includeArtifacts=true&x=y&status=")
	q["status"] = []string{"failed", "working"}
	if got, err = (decoder{}).DecodeList(QueryParams(q)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
	if got, err = (codec10{}).DecodeList(Params{}); err != nil || got.PageSize != 50 {
		t.Errorf("defaults: %+v, %v", got, err)
	}
	for _, q := range []url.Values{{"pageSize": {"many"}}, {"status": {"busy"}}, {"includeArtifacts": {"1"}}} {
		if _, err := (decoder{}).DecodeList(QueryParams(q)); !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("%v: %v", q, err)
		}
	}
	if _, err := (decoder{}).DecodeGet(QueryParams(url.Values{"historyLength": {"x\"\xff"}}), "id"); !errors.Is(err, a2a.ErrInvalidParams) {
		t.Errorf("history length of no number: %v", err)
	}
}

// What is encoded can be read again, in every dialect.
func TestRoundTrip(t *testing.T) {
	task := goldenTask()
	want := goldenTask()
	want.Status.Timestamp = goldenTime.UTC().Truncate(1e6)
	want.Artifacts[0].Parts = []a2a.Part{}
	for _, p := range goldenParts {
		if p.Metadata != nil {
			p.Metadata = a2a.Metadata{"k": json.RawMessage(`[1,2]`)}
		}
		if p.Kind == a2a.PartData {
			p.Data = appendRaw(nil, p.Data)
		}
		want.Artifacts[0].Parts = append(want.Artifacts[0].Parts, p)
	}
	for _, d := range dialects[:2] { // no client of ours reads 0.3's REST
		t.Run(d.name, func(t *testing.T) {
			got, err := DecodeTask(d.EncodeTask(task))
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("task: %v %s", err, diff)
			}
			list, err := DecodeTaskList(d.EncodeList(&a2a.TaskList{Tasks: []*a2a.Task{task, task}, NextPageToken: "n", PageSize: 2, TotalSize: 9}))
			if diff := cmp.Diff(&a2a.TaskList{Tasks: []*a2a.Task{want, want}, NextPageToken: "n", PageSize: 2, TotalSize: 9}, list); err != nil || diff != "" {
				t.Errorf("list: %v %s", err, diff)
			}
			update := &a2a.ArtifactUpdate{TaskID: "t", ContextID: "c", Artifact: a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("x")}}, Append: true, LastChunk: true, Metadata: a2a.Metadata{"k": json.RawMessage("1")}}
			status := &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: want.Status, Metadata: a2a.Metadata{"k": json.RawMessage("1")}}
			for _, e := range []*a2a.Event{{Task: want}, {Message: want.Status.Message}, {Artifact: update}, {Status: status}} {
				got, err := DecodeEvent(d.EncodeEvent(e, false))
				if diff := cmp.Diff(e, got, events); err != nil || diff != "" {
					t.Errorf("event: %v %s", err, diff)
				}
			}
		})
	}
}

func TestDecodeResultsRefuse(t *testing.T) {
	for _, raw := range []string{``, `null`, `{`, `[]`, `{}`, `{"task":{},"message":{}}`, `{"kind":"other"}`, `{"task":{"status":{"timestamp":"noon"}}}`} {
		if _, err := DecodeEvent(json.RawMessage(raw)); !errors.Is(err, a2a.ErrInvalidAgentResponse) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if _, err := DecodeSendResult(json.RawMessage(`{"statusUpdate":{}}`)); !errors.Is(err, a2a.ErrInvalidAgentResponse) {
		t.Errorf("a send result that is a status update: %v", err)
	}
}
