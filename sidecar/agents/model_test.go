package agents_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// model stands for the four model APIs that the agents speak. The newest input
// decides what it answers:
//
//	SAY:name …            what the test has told it to say under that name
//	TOOL:shell COMMAND    a call of the offered shell tool
//	TOOL:write PATH TEXT  a call of the offered tool that writes files
//	CALL:NAME JSON        a call of the offered tool of ours of that name
//	OWN:NAME JSON         a call of a tool of that name, whether it is offered or not
//	FAIL:STATUS           an HTTP error
//	a tool's result       TOOLRESULT: the result
//	anything else         ECHO: the input
//
// A request that offers no tools is the agent's own (a title, a check): it is
// answered at once and is nobody's turn.
type model struct {
	url string

	directive *regexp.Regexp
	added     *regexp.Regexp

	mu       sync.Mutex
	speeches map[string]speech
	seen     []*request
	changed  chan struct{} // closed at the next change of seen
	ids      int
}

// speech is an answer, piece by piece.
type speech []piece

type piece struct {
	wait time.Duration // before it
	text string
}

func (s speech) text() string {
	var b strings.Builder
	for _, p := range s {
		b.WriteString(p.text)
	}
	return b.String()
}

// spread says the pieces over a time, the first at once.
func spread(over time.Duration, pieces ...string) speech {
	s := speech{{text: pieces[0]}}
	for _, text := range pieces[1:] {
		s = append(s, piece{over / time.Duration(len(pieces)-1), text})
	}
	return s
}

// input is the newest that an agent has sent.
type input struct {
	text   string
	result bool // it is a tool's
	tools  []tool
	body   string // the request's
}

type tool struct{ name, namespace, kind string }

// request is one that the model got.
type request struct {
	input
	ended  time.Time // when the last byte was sent; zero before
	broken bool      // the agent hung up
}

// plan is what an input is answered with.
type plan struct {
	say    speech
	call   *toolCall
	status int
}

type toolCall struct {
	tool
	args map[string]any
}

// json are the arguments as the APIs want them.
func (c *toolCall) json() string {
	b, err := json.Marshal(c.args)
	if err != nil { // strings always encode
		panic(err)
	}
	return string(b)
}

// speaker says an answer in the words of one API.
type speaker interface {
	begin(e *events)
	say(e *events, text string)
	call(e *events, c *toolCall)
	end(e *events, p plan)
	// whole is the answer to a request that wants no stream.
	whole(p plan) any
}

func newModel(t *testing.T) *model {
	m := &model{
		directive: regexp.MustCompile(`(?:^|\n)\s*(SAY|TOOL|CALL|OWN|FAIL):(\S+) ?(.*)`),
		added: regexp.MustCompile(`(?s)^\s*(<(system-reminder|environment_context|user_instructions|session_context|permissions|skills|INSTRUCTIONS|command-|local-command)` +
			`|\[Request interrupted)`),
		speeches: map[string]speech{},
		changed:  make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.anthropic)
	mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, _ *http.Request) { reply(w, object{"input_tokens": 10}) })
	mux.HandleFunc("POST /v1/responses", m.responses)
	mux.HandleFunc("POST /v1/chat/completions", m.chat)
	mux.HandleFunc("POST /{version}/models/{call}", m.gemini)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, object{"object": "list", "data": []any{object{"id": "stub-model", "object": "model", "type": "model", "display_name": "Stub"}}, "has_more": false})
	})
	mux.HandleFunc("GET /{$}", func(http.ResponseWriter, *http.Request) {})
	server := httptest.NewServer(mux)
	m.url = server.URL
	t.Cleanup(server.Close)
	return m
}

// object is one of JSON.
type object = map[string]any

// teach makes the model answer SAY:name with s.
func (m *model) teach(name string, s speech) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.speeches[name] = s
}

// id makes one that the agents have not seen yet.
func (m *model) id(prefix string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids++
	return fmt.Sprintf("%s_stub%06d", prefix, m.ids)
}

// newest is the input among the texts of one message: the last that a person
// may have written.
func (m *model) newest(texts []string) string {
	for _, text := range slices.Backward(texts) {
		if s := strings.TrimSpace(text); s != "" && !m.added.MatchString(s) {
			return s
		}
	}
	return ""
}

// decide says what to answer.
func (m *model) decide(in input) plan {
	switch words := m.directive.FindStringSubmatch(in.text); {
	case in.result:
		return plan{say: speech{{text: "TOOLRESULT: " + in.text[:min(len(in.text), 200)]}}}
	case len(in.tools) == 0:
		return plan{say: speech{{text: "A title"}}}
	case words == nil:
		return plan{say: speech{{text: "ECHO: " + in.text}}}
	case words[1] == "FAIL":
		status, _ := strconv.Atoi(words[2])
		return plan{status: status}
	case words[1] == "CALL":
		return callGiven(in.tools, words[2], words[3])
	case words[1] == "OWN":
		c := &toolCall{tool: tool{name: words[2]}}
		_ = json.Unmarshal([]byte(words[3]), &c.args) // without arguments it is a call, too
		return plan{call: c}
	case words[1] == "TOOL":
		return use(in.tools, words[2], strings.TrimSpace(words[3]))
	default:
		m.mu.Lock()
		defer m.mu.Unlock()
		return plan{say: m.speeches[words[2]]}
	}
}

// callGiven is a call of a tool of ours.
func callGiven(tools []tool, name, arguments string) plan {
	c := &toolCall{}
	if i := slices.IndexFunc(tools, func(t tool) bool { return t.is(name) }); i >= 0 {
		c.tool = tools[i]
	}
	if c.name == "" || json.Unmarshal([]byte(arguments), &c.args) != nil {
		return plan{say: speech{{text: "NO SUCH TOOL"}}}
	}
	return plan{call: c}
}

// use is a call of one of the offered tools.
func use(tools []tool, what, words string) plan {
	offered := func(names ...string) *tool {
		for _, name := range names {
			if i := slices.IndexFunc(tools, func(t tool) bool { return t.name == name }); i >= 0 {
				return &tools[i]
			}
		}
		return nil
	}
	var t *tool
	var args map[string]any
	if what == "shell" {
		t = offered("Bash", "bash", "run_shell_command", "shell_command", "exec_command")
		args = map[string]any{"command": words, "cmd": words, "description": "a command of the test"}
		if strings.Contains(words, "#escalate") {
			args["sandbox_permissions"], args["justification"] = "require_escalated", "the test wants it"
		}
	} else {
		path, text, _ := strings.Cut(words, " ")
		t = offered("Write", "write", "write_file", "apply_patch")
		patch := "*** Begin Patch\n*** Add File: " + path + "\n+" + text + "\n*** End Patch\n"
		args = map[string]any{"file_path": path, "filePath": path, "content": text, "input": patch}
	}
	if t == nil {
		return plan{say: speech{{text: "NO SUCH TOOL"}}}
	}
	for name := range args {
		if !slices.Contains(arguments(t.name), name) {
			delete(args, name)
		}
	}
	return plan{call: &toolCall{*t, args}}
}

// arguments are those of the agents' tools that the model can fill in.
func arguments(tool string) []string {
	switch tool {
	case "Bash", "bash", "run_shell_command":
		return []string{"command", "description"}
	case "shell_command":
		return []string{"command", "sandbox_permissions", "justification"}
	case "exec_command":
		return []string{"cmd", "sandbox_permissions", "justification"}
	case "write":
		return []string{"filePath", "content"}
	case "apply_patch":
		return []string{"input"}
	}
	return []string{"file_path", "content"}
}

// answer is one exchange.
func (m *model) answer(w http.ResponseWriter, r *http.Request, in input, stream bool, s speaker) {
	req := &request{input: in}
	m.change(func() { m.seen = append(m.seen, req) })
	p := m.decide(in)
	whole := true
	switch {
	case p.status != 0:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(p.status)
		fmt.Fprintf(w, `{"type":"error","error":{"type":"stub_error","code":%d,"message":"the model has failed","status":"STUB"}}`, p.status)
	case !stream:
		reply(w, s.whole(p))
	default:
		whole = speak(newEvents(w), r, p, s)
	}
	m.change(func() { req.ended, req.broken = time.Now(), !whole })
}

// speak reports whether the agent has listened to the end.
func speak(e *events, r *http.Request, p plan, s speaker) bool {
	s.begin(e)
	if p.call != nil {
		s.call(e, p.call)
	}
	for _, piece := range p.say {
		if piece.wait > 0 {
			select {
			case <-time.After(piece.wait):
			case <-r.Context().Done():
				return false
			}
		}
		s.say(e, piece.text)
	}
	s.end(e, p)
	return true
}

func (m *model) change(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
	close(m.changed)
	m.changed = make(chan struct{})
}

// request waits for the newest turn with that input to have been answered, to
// the end or not.
func (m *model) request(t *testing.T, text string) request {
	t.Helper()
	late := time.After(deadline)
	for {
		m.mu.Lock()
		for _, req := range slices.Backward(m.seen) {
			if req.text == text && len(req.tools) > 0 && !req.ended.IsZero() {
				defer m.mu.Unlock()
				return *req
			}
		}
		changed := m.changed
		m.mu.Unlock()
		select {
		case <-changed:
		case <-late:
			t.Fatalf("the model never got %.200q; it got:\n%s", text, m)
		}
	}
}

// turns is how many the model has got with that input.
func (m *model) turns(text string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, req := range m.seen {
		if req.text == text && len(req.tools) > 0 {
			n++
		}
	}
	return n
}

// String tells what the model got lately.
func (m *model) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for _, req := range m.seen[max(0, len(m.seen)-8):] {
		fmt.Fprintf(&b, "  %.120q (tools %d, result %v, ended %v, broken %v)\n", req.text, len(req.tools), req.result, !req.ended.IsZero(), req.broken)
	}
	return b.String()
}
