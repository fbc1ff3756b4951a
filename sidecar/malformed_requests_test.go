package sidecar_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// request is what one connection carries.
type request struct {
	method string
	bytes  []byte
	raw    bool // the server need not take it for HTTP
	leaves bool // the client does not wait for the answer
	gone   bool // the client closed its side
	tool   bool // the path may be a tool's
}

// wellFormed are requests that are right; each case spoils one of them.
func wellFormed() (all []spoilable) {
	message := `{"messageId":"m","role":"ROLE_USER","contextId":"c","parts":[{"text":"hello","metadata":{"k":1}},{"data":{"a":[1,2.5e3,null,true]},"mediaType":"application/json"},{"raw":"aGVsbG8=","filename":"f.txt"}],"extensions":["urn:a2a-sidecar:tool-call:v1"],"referenceTaskIds":["TASK"]}`
	message03 := `{"kind":"message","messageId":"m","role":"user","contextId":"c","parts":[{"kind":"text","text":"hello"},{"kind":"data","data":{"a":1}},{"kind":"file","file":{"bytes":"aGVsbG8=","name":"f.txt","mimeType":"text/plain"}}]}`
	call := `{"messageId":"m","role":"ROLE_USER","extensions":["urn:a2a-sidecar:tool-call:v1"],"parts":[{"data":{"toolCall":{"id":"c-1","name":"test.never","arguments":{"x":1}}}}]}`
	push := `{"id":"p","url":"http://127.0.0.1:1/hook","token":"t","authentication":{"scheme":"Bearer","credentials":"c"}}`
	params := map[string]string{
		"SendMessage":                         `{"message":` + message + `,"configuration":{"historyLength":3,"returnImmediately":false,"acceptedOutputModes":["text/plain"]},"metadata":{"a":1}}`,
		"SendStreamingMessage":                `{"message":` + message + `}`,
		"GetTask":                             `{"id":"TASK","historyLength":2}`,
		"ListTasks":                           `{"contextId":"c","status":"TASK_STATE_COMPLETED","pageSize":3,"pageToken":"","statusTimestampAfter":"2026-01-02T15:04:05Z","includeArtifacts":true}`,
		"CancelTask":                          `{"id":"TASK","metadata":{}}`,
		"SubscribeToTask":                     `{"id":"TASK"}`,
		"CreateTaskPushNotificationConfig":    `{"taskId":"TASK","id":"p","url":"http://127.0.0.1:1/hook","token":"t"}`,
		"GetTaskPushNotificationConfig":       `{"taskId":"TASK","id":"p"}`,
		"ListTaskPushNotificationConfigs":     `{"taskId":"TASK","pageSize":2}`,
		"DeleteTaskPushNotificationConfig":    `{"taskId":"TASK","id":"p"}`,
		"GetExtendedAgentCard":                `{}`,
		"message/send":                        `{"message":` + message03 + `,"configuration":{"blocking":true,"historyLength":1,"pushNotificationConfig":` + push + `}}`,
		"message/stream":                      `{"message":` + message03 + `}`,
		"tasks/get":                           `{"id":"TASK","historyLength":1}`,
		"tasks/cancel":                        `{"id":"TASK"}`,
		"tasks/resubscribe":                   `{"id":"TASK"}`,
		"tasks/list":                          `{"pageSize":2}`,
		"tasks/pushNotificationConfig/set":    `{"taskId":"TASK","pushNotificationConfig":` + push + `}`,
		"tasks/pushNotificationConfig/get":    `{"id":"TASK","pushNotificationConfigId":"p"}`,
		"tasks/pushNotificationConfig/list":   `{"id":"TASK"}`,
		"tasks/pushNotificationConfig/delete": `{"id":"TASK","pushNotificationConfigId":"p"}`,
		"agent/getAuthenticatedExtendedCard":  `{}`,
	}
	for method, p := range params {
		version := "1.0"
		if strings.Contains(method, "/") {
			version = "0.3"
		}
		for _, path := range []string{"/", "/a2a"} {
			all = append(all, spoilable{"POST", path, version, `{"jsonrpc":"2.0","id":"r-1","method":"` + method + `","params":` + p + `}`})
		}
	}
	all = append(all, spoilable{"POST", "/", "1.0", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":` + call + `}}`},
		spoilable{"POST", "/message:send", "1.0", params["SendMessage"]},
		spoilable{"POST", "/message:stream", "1.0", params["SendStreamingMessage"]},
		spoilable{"POST", "/v1/message:send", "0.3", `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hello"}]}}`},
		spoilable{"POST", "/v1/message:stream", "0.3", `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hello"}]}}`},
		spoilable{"POST", "/tasks/TASK/pushNotificationConfigs", "1.0", params["CreateTaskPushNotificationConfig"]},
		spoilable{"POST", "/v1/tasks/TASK/pushNotificationConfigs", "0.3", `{"pushNotificationConfig":` + push + `}`},
		spoilable{"POST", "/tasks/TASK:cancel", "1.0", `{}`},
		spoilable{"POST", "/a2a/tools/test.agent", "", `{"a":"b"}`},
		spoilable{"POST", "/a2a/tools/test.never", "", `{"x":1}`})
	for _, path := range []string{
		"/tasks?contextId=c&status=TASK_STATE_WORKING&pageSize=2&pageToken=&historyLength=1", "/tasks/TASK?historyLength=1", "/tasks/TASK:subscribe",
		"/tasks/TASK/pushNotificationConfigs", "/tasks/TASK/pushNotificationConfigs/p", "/extendedAgentCard",
		"/v1/tasks/TASK", "/v1/tasks/TASK:subscribe", "/v1/tasks/TASK/pushNotificationConfigs", "/v1/card",
		"/.well-known/agent-card.json", "/.well-known/agent.json", "/a2a/tools", "/livez", "/readyz", "/healthz", "/metrics",
	} {
		all = append(all, spoilable{"GET", path, "1.0", ""})
	}
	return append(all, spoilable{"DELETE", "/tasks/TASK/pushNotificationConfigs/p", "1.0", ""})
}

// spoilable is a request that is right as it stands.
type spoilable struct{ method, path, version, body string }

// compose makes one request. Most spoil one thing, so that what lies behind
// the first check is reached too.
func compose(rnd *rand.Rand, task string) request {
	all := wellFormed()
	s := all[rnd.IntN(len(all))]
	if rnd.IntN(8) == 0 {
		task = "no-such-task"
	}
	s.path, s.body = strings.ReplaceAll(s.path, "TASK", task), strings.ReplaceAll(s.body, "TASK", task)
	q := request{}
	header := []string{"Host: 127.0.0.1", "Content-Type: application/json", "Connection: close"}
	if s.version != "" {
		header = append(header, "A2A-Version: "+s.version)
	}
	body := []byte(s.body)
	for range 1 + rnd.IntN(3) {
		switch rnd.IntN(10) {
		case 0:
			s.method = oneOf(rnd, "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "post", "QUERY", "X")
		case 1:
			s.path = spoilPath(rnd, s.path)
		case 2:
			header = append(header, strangeHeader(rnd))
		case 3:
			s.path = all[rnd.IntN(len(all))].path // a path with another's body
		case 4:
			header[1] = "Content-Type: " + oneOf(rnd, "", "text/plain", "application/json; charset=utf-16", "application/a2a+json", ";", "multipart/form-data; boundary=x", strings.Repeat("a/", 300))
		default:
			body = spoilJSON(rnd, body)
		}
	}
	q.method, q.tool = s.method, strings.Contains(s.path, "/a2a/")
	q.bytes = fmt.Appendf(nil, "%s %s HTTP/1.1\r\n%s\r\nContent-Length: %d\r\n\r\n%s", s.method, s.path, strings.Join(header, "\r\n"), len(body), body)
	switch rnd.IntN(12) {
	case 0: // the bytes themselves
		q.raw, q.bytes = true, spoilBytes(rnd, q.bytes)
	case 1: // half of it
		q.raw, q.bytes = true, q.bytes[:rnd.IntN(len(q.bytes))]
	case 2: // nobody waits for the answer
		q.leaves = true
	case 3:
		q.raw, q.bytes = true, strangeFraming(rnd, s, body)
	}
	if _, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(q.bytes))); err != nil {
		q.raw = true // net/http refuses it by itself, and reads no more of it
	}
	return q
}

func oneOf[T any](rnd *rand.Rand, of ...T) T { return of[rnd.IntN(len(of))] }

func spoilPath(rnd *rand.Rand, path string) string {
	at := rnd.IntN(len(path) + 1)
	insert := oneOf(rnd, "/", "//", "/../", "/./", "%2f", "%00", "%", "%zz", "?", "#", ":cancel", ":subscribe", "\xff", "é", " ", "\\", "*", ";",
		"?A2A-Version=9", "?pageSize=-1", "?historyLength=1e9", "?a=%zz&&=;", "/pushNotificationConfigs", strings.Repeat("a", 9000))
	return "/" + strings.TrimPrefix(path[:at]+insert+path[at:], "/")
}

func strangeHeader(rnd *rand.Rand) string {
	return oneOf(rnd, "A2A-Version: 9.9", "A2A-Version: 1.0.", "A2A-Version: 0.3", "A2A-Version: \xff", "A2A-Extensions: "+strings.Repeat("urn:x,", 500),
		"X-A2A-Extensions: urn:a2a-sidecar:tool-call:v1", "Last-Event-ID: -1", "Last-Event-ID: 18446744073709551616", "Last-Event-ID: 99999", "Last-Event-ID: \xff\xfe",
		"Traceparent: 00-00000000000000000000000000000000-0000000000000000-00", "Traceparent: ff-"+strings.Repeat("f", 40), "If-None-Match: \"", "If-None-Match: *",
		"Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site", "Expect: 100-continue", "Expect: the-unexpected", "Authorization: Bearer \x80",
		"Authorization: Basic", "Authorization: "+strings.Repeat("x", 20_000), "Range: bytes=0-,-1", "Accept: text/event-stream;q=0", "Accept-Encoding: gzip, br, zstd",
		"Upgrade: h2c", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: gopher", "Content-Encoding: gzip", "Cookie: a=b", "Te: trailers", "X-Long: "+strings.Repeat("x", 60_000))
}

// spoilJSON tampers with a body: some results are no JSON, most mean something
// else.
func spoilJSON(rnd *rand.Rand, b []byte) []byte {
	if len(b) == 0 {
		return []byte(oneOf(rnd, "{}", "null", "[]", "x", "\x00", `{"a":1}`))
	}
	at := rnd.IntN(len(b))
	switch rnd.IntN(8) {
	case 0:
		return spoilBytes(rnd, b)
	case 1: // a value of another kind
		return replaceValue(rnd, b, oneOf(rnd, "null", "true", "0", "-1", "1e400", "123456789012345678901234567890", `""`, `"x"`, "[]", "{}", `[null]`, `{"":{}}`,
			`"\ud800"`, `"\u0000"`, "\"\xff\"", `"`+strings.Repeat("x", 5000)+`"`, `"2026-13-45T99:99:99Z"`, `["a","a"]`))
	case 2: // nested deeply
		n := oneOf(rnd, 10, 200, 300, 20_000)
		return replaceValue(rnd, b, strings.Repeat("[", n)+strings.Repeat("]", n))
	case 3: // a member twice
		if i := bytes.IndexByte(b, '{'); i >= 0 {
			return slicesJoin(b[:i+1], []byte(oneOf(rnd, `"id":1,`, `"id":"x",`, `"message":null,`, `"message":{},`, `"method":"GetTask",`, `"params":[],`, `"parts":[],`, `"__proto__":{},`, `"kind":"task",`)), b[i+1:])
		}
	case 4: // a key of another name
		return bytes.Replace(b, []byte(oneOf(rnd, "message", "parts", "id", "params", "method", "text", "jsonrpc", "role", "taskId", "url")), []byte(oneOf(rnd, "Message", "x", "id", "task_id", "", "kind")), 1)
	case 5:
		return b[:at]
	case 6:
		return slicesJoin(b, []byte(oneOf(rnd, "{}", "]", "\x00", " x", ",", "\n\n{}")), nil)
	}
	i := rnd.IntN(len(b))
	return slicesJoin(b[:min(at, i)], nil, b[max(at, i):]) // a piece is gone
}

// replaceValue puts another value after one of the colons.
func replaceValue(rnd *rand.Rand, b []byte, value string) []byte {
	var colons []int
	for i, c := range b {
		if c == ':' && i > 0 && b[i-1] == '"' {
			colons = append(colons, i)
		}
	}
	if len(colons) == 0 {
		return []byte(value)
	}
	begin := colons[rnd.IntN(len(colons))] + 1
	end, depth, quoted := begin, 0, false
	for ; end < len(b); end++ {
		switch c := b[end]; {
		case quoted && c == '\\':
			end++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case (c == '}' || c == ']') && depth > 0:
			depth--
		case (c == ',' || c == '}' || c == ']') && depth == 0:
			return slicesJoin(b[:begin], []byte(value), b[end:])
		}
	}
	return slicesJoin(b[:begin], []byte(value), nil)
}

func slicesJoin(a, b, c []byte) []byte {
	return append(append(append(make([]byte, 0, len(a)+len(b)+len(c)), a...), b...), c...)
}

// spoilBytes changes a few bytes, whatever they mean.
func spoilBytes(rnd *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + rnd.IntN(4) {
		if len(b) == 0 {
			break
		}
		at := rnd.IntN(len(b))
		switch rnd.IntN(3) {
		case 0:
			b[at] = byte(rnd.IntN(256))
		case 1:
			b = append(b[:at], b[at+1:]...)
		default:
			b = slicesJoin(b[:at], []byte{byte(rnd.IntN(256))}, b[at:])
		}
	}
	return b
}

// strangeFraming is a request whose length says two things, or which is not
// HTTP at all.
func strangeFraming(rnd *rand.Rand, s spoilable, body []byte) []byte {
	head := s.method + " " + s.path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	switch rnd.IntN(9) {
	case 0:
		return fmt.Appendf(nil, "%sContent-Length: %d\r\nContent-Length: %d\r\n\r\n%s", head, len(body), len(body)+1, body)
	case 1:
		return fmt.Appendf(nil, "%sContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", head, len(body), len(body), body)
	case 2:
		return fmt.Appendf(nil, "%sTransfer-Encoding: chunked\r\n\r\n%s\r\n%s", head, oneOf(rnd, "ffffffffffffffff", "-1", "zz", "5;"+strings.Repeat("x", 5000)), body)
	case 3:
		return fmt.Appendf(nil, "%sTransfer-Encoding: %s\r\n\r\n%s", head, oneOf(rnd, "gzip", "identity", "chunked, chunked"), body)
	case 4:
		return fmt.Appendf(nil, "%sContent-Length: %s\r\n\r\n%s", head, oneOf(rnd, "-1", "x", "9223372036854775807", "99999999999999999999", " "), body)
	case 5:
		return fmt.Appendf(nil, "%s %s %s\r\n\r\n", s.method, s.path, oneOf(rnd, "HTTP/9.9", "HTTP/0.9", "HTTP/2.0", "SPDY", ""))
	case 6:
		return []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + strings.Repeat("\x00", 40))
	case 7:
		return []byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\x7f", 100)) // TLS
	}
	junk := make([]byte, rnd.IntN(2000))
	for i := range junk {
		junk[i] = byte(rnd.IntN(256))
	}
	return junk
}
