package server_test

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/internal/golden"
)

// TestStrictAnswers reads every answer of every transcript as a parser of
// protocol buffers does that refuses what it does not know: 1.0 over both bindings,
// 0.3 over REST, whose JSON is that of protocol buffers too.
func TestStrictAnswers(t *testing.T) {
	parsers := map[string]*a2atest.StrictParser{"1.0": a2atest.NewStrictParser("1.0"), "0.3": a2atest.NewStrictParser("0.3")}
	err := filepath.WalkDir("testdata", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".txtar" {
			return err
		}
		files := golden.Archive(t, file).Files
		for i := range files {
			name, ok := strings.CutPrefix(files[i].Name, "request")
			if !ok || i+1 == len(files) || files[i+1].Name != "response"+name {
				continue
			}
			version, message := answerOf(string(files[i].Data))
			if message == "" {
				continue
			}
			for _, result := range results(t, string(files[i+1].Data)) {
				if err := parsers[version].Parse(message, result); err != nil {
					t.Errorf("%s: request%s: %v", file, name, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for version, message := range map[string][]string{
		"1.0": {"SendMessageResponse", "StreamResponse", "Task", "ListTasksResponse", "TaskPushNotificationConfig", "Configs", "Empty", "AgentCard"},
		"0.3": {"SendMessageResponse", "StreamResponse", "Task", "TaskPushNotificationConfig", "Configs", "Empty", "AgentCard"},
	} {
		for _, m := range message {
			if parsers[version].Seen[m] == 0 {
				t.Errorf("no transcript has a %s of %s", m, version)
			}
		}
	}
}

// The strict parser refuses what it is there to refuse.
func TestStrictParserRefuses(t *testing.T) {
	for _, c := range []struct{ version, message, text string }{
		{"1.0", "Task", `{"id":"1","x-spring-voyage-bridge-version":"1"}`},
		{"1.0", "Task", `{"id":"1","kind":"task"}`},
		{"1.0", "Task", `{"id":1}`},
		{"1.0", "Task", `{"history":null}`},
		{"1.0", "Task", `{"status":{"state":"TASK_STATE_CANCELLED"}}`},
		{"1.0", "Task", `{"status":{"state":"TASK_STATE_WORKING","timestamp":"2026-01-02"}}`},
		{"1.0", "StreamResponse", `{"task":{},"message":{}}`},
		{"1.0", "Message", `{"parts":[{"text":"a","data":1}]}`},
		{"1.0", "Message", `{"parts":[{"raw":"%"}]}`},
		{"1.0", "AgentCard", `{"protocolVersion":"0.3"}`},
		{"1.0", "AgentCard", `{"securitySchemes":{"bearer":{"type":"http"}}}`},
		{"0.3", "Message", `{"parts":[]}`},
		{"0.3", "Message", `{"referenceTaskIds":["1"]}`},
		{"0.3", "Task", `{"status":{"state":"TASK_STATE_CANCELED"}}`},
		{"0.3", "AgentCard", `{"supportedInterfaces":[]}`},
	} {
		if a2atest.NewStrictParser(c.version).Parse(c.message, []byte(c.text)) == nil {
			t.Errorf("%s: a %s was read that is none: %s", c.version, c.message, c.text)
		}
	}
}

// Which message answers a path of REST, and a method of JSON-RPC in 1.0.
var (
	restAnswers = []struct {
		request *regexp.Regexp
		message string
	}{
		{regexp.MustCompile(`^POST /message:send$`), "SendMessageResponse"},
		{regexp.MustCompile(`^(POST /message:stream|(GET|POST) /tasks/[^/]+:subscribe)$`), "StreamResponse"},
		{regexp.MustCompile(`^(GET /tasks/[^/:]+|POST /tasks/[^/]+:cancel)$`), "Task"},
		{regexp.MustCompile(`^GET /tasks$`), "ListTasksResponse"},
		{regexp.MustCompile(`^(POST /tasks/[^/]+/pushNotificationConfigs|GET /tasks/[^/]+/pushNotificationConfigs/[^/]+)$`), "TaskPushNotificationConfig"},
		{regexp.MustCompile(`^GET /tasks/[^/]+/pushNotificationConfigs$`), "Configs"},
		{regexp.MustCompile(`^DELETE /tasks/[^/]+/pushNotificationConfigs/[^/]+$`), "Empty"},
		{regexp.MustCompile(`^GET /(extendedAgentCard|card)$`), "AgentCard"},
	}
	rpcAnswers = map[string]string{
		"SendMessage": "SendMessageResponse", "SendStreamingMessage": "StreamResponse", "SubscribeToTask": "StreamResponse",
		"GetTask": "Task", "CancelTask": "Task", "ListTasks": "ListTasksResponse", "GetExtendedAgentCard": "AgentCard",
		"CreateTaskPushNotificationConfig": "TaskPushNotificationConfig", "GetTaskPushNotificationConfig": "TaskPushNotificationConfig",
		"ListTaskPushNotificationConfigs": "Configs", "DeleteTaskPushNotificationConfig": "Empty",
	}
	rpcMethodName = regexp.MustCompile(`"method":\s*"([A-Za-z]+)"`)
)

// answerOf says which message answers a request, "" for one that protocol
// buffers do not describe: 0.3 has no list over REST, and is not their JSON over JSON-RPC.
func answerOf(request string) (version, message string) {
	line, _, _ := strings.Cut(request, "\n")
	line, _, _ = strings.Cut(line, "?")
	method, path, _ := strings.Cut(strings.TrimSpace(line), " ")
	if path == "/" || path == "/a2a" {
		if name := rpcMethodName.FindStringSubmatch(request); name != nil {
			message = rpcAnswers[name[1]]
		}
		return "1.0", message
	}
	version = "1.0"
	if rest, ok := strings.CutPrefix(path, "/v1/"); ok {
		version, path = "0.3", "/"+rest
	}
	for _, a := range restAnswers {
		if a.request.MatchString(method + " " + path) {
			message = a.message
		}
	}
	if version == "0.3" && message == "ListTasksResponse" {
		message = ""
	}
	return version, message
}

// results are what an answer holds: none in an error, one, or those of a stream.
func results(t *testing.T, response string) []json.RawMessage {
	t.Helper()
	head, body, _ := strings.Cut(response, "\n\n")
	if !strings.HasPrefix(head, "200 ") {
		return nil
	}
	texts := []string{body}
	if strings.Contains(head, "Content-Type: text/event-stream") {
		texts = nil
		for event := range strings.SplitSeq(body, "\n\n") {
			if strings.Contains(event, "event: error") {
				continue
			}
			for line := range strings.Lines(event) {
				if data, ok := strings.CutPrefix(line, "data: "); ok {
					texts = append(texts, data)
				}
			}
		}
	}
	var all []json.RawMessage
	for _, text := range texts {
		var rpc struct {
			JSONRPC string
			Result  json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &rpc); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		switch {
		case rpc.JSONRPC == "":
			all = append(all, json.RawMessage(text))
		case rpc.Result != nil:
			all = append(all, rpc.Result)
		}
	}
	return all
}
