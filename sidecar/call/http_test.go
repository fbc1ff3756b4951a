package call_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// api is a server of the test's own, and what it was asked.
type api struct {
	*httptest.Server
	mux  *http.ServeMux
	seen []string // "METHOD path" of each request; read when nothing runs
	last *http.Request
	body string
}

func newAPI(t *testing.T) *api {
	a := &api{mux: http.NewServeMux()}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.seen, a.last, a.body = append(a.seen, r.Method+" "+r.URL.RequestURI()), r, string(body)
		a.mux.ServeHTTP(w, r)
	}))
	t.Cleanup(a.Close)
	return a
}

// says makes a path give one answer.
func (a *api) says(path, contentType, body string, status int) {
	a.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// leads makes a path redirect.
func (a *api) leads(path, to string, status int) {
	a.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(status)
	})
}

// httpTool has the bridge's members and, after it, more members of x-sidecar. It takes {"x"} and
// must have it.
func httpTool(name, members, extra string) string {
	return `{"name":"` + name + `","description":"a test tool","inputSchema":{"type":"object","required":["x"],"properties":{"x":{"type":"string"},"q":{"type":"string"}}},` +
		`"x-sidecar":{"bridge":{"http":{` + members + `}}` + extra + `}}`
}

func env(values ...string) func(*call.Options) {
	return func(o *call.Options) { o.Env = values }
}

const secret = "s3cr3t-t0ken-of-acme"

// What the server gets is what the manifest declares.
func TestHTTPRequest(t *testing.T) {
	a := newAPI(t)
	a.says("/", "application/json", `{"ok":  true}`, 200)
	r := newRig(t, httpTool("acme.post", `"method":"POST","url":"`+a.URL+`/items/{x}?q={q}","body":"arguments","headers":{"Authorization":"Bearer $ACME_TOKEN","X-Plain":"$$5"}`, "")+","+
		httpTool("acme.get", `"url":"`+a.URL+`/items/{x}?q={q}","body":"none"`, ""), nil, env("ACME_TOKEN="+secret, "OTHER=1"))
	inv := r.p.Start(call.Request{Tool: "acme.post", Arguments: json.RawMessage(`{"x":"a/b c","q":"1&2"}`), TraceParent: "00-aa-bb-01"})
	r.ended(inv).is("final", a2a.StateCompleted, 200).data(`{"ok":true}`)
	h := a.last.Header
	if a.seen[0] != "POST /items/a%2Fb%20c?q=1%262" || a.body != `{"x":"a/b c","q":"1&2"}` || h.Get("Authorization") != "Bearer "+secret || h.Get("X-Plain") != "$5" ||
		h.Get("Content-Type") != "application/json" || h.Get("Traceparent") != "00-aa-bb-01" || !strings.Contains(h.Get("Accept"), "json") {
		t.Errorf("the server got %s %q %v", a.seen, a.body, h)
	}
	r.run("acme.get", `{"x":"1"}`).is("final", a2a.StateCompleted, 200)
	if a.seen[1] != "GET /items/1" || a.body != "" || a.last.Header.Get("Content-Type") != "" || a.last.Header.Get("Authorization") != "" {
		t.Errorf("the server got %s %q %v", a.seen, a.body, a.last.Header)
	}
	r.run("acme.get", `{"x":".."}`).is("invalid_arguments", a2a.StateFailed, 422)
	if len(a.seen) != 2 {
		t.Errorf("an invalid call was sent: %s", a.seen)
	}
}

func TestHTTPResponse(t *testing.T) {
	a := newAPI(t)
	for _, c := range []struct {
		path, contentType, body string
		status                  int
		outcome                 string
		state                   a2a.TaskState
		code                    int
		data, says              string
	}{
		{"/json", "application/problem+json", `[1, 2]`, 200, "final", a2a.StateCompleted, 200, `[1,2]`, ""},
		{"/broken", "application/json", `{"a":`, 200, "failed", a2a.StateFailed, 502, `"{\"a\":"`, "not JSON as declared"},
		{"/text", "text/plain", `{"a": 1}`, 200, "final", a2a.StateCompleted, 200, `"{\"a\": 1}"`, ""},
		{"/unsaid", "application/x-unknown", `{"a": 1}`, 201, "final", a2a.StateCompleted, 200, `{"a":1}`, ""},
		{"/empty", "text/plain", "", 204, "final", a2a.StateCompleted, 200, `""`, ""},
		{"/binary", "image/png", "\x89PNG\x00\x01", 200, "artifact", a2a.StateCompleted, 200, `{"artifact_id":"output","media_type":"image/png","bytes":6}`, ""},
		{"/long", "text/plain", strings.Repeat("long ", 1000), 200, "truncated", a2a.StateCompleted, 200, `{"head":"` + strings.Repeat("long ", 60) + `"}`, ""},
		{"/404", "application/json", `{"error":"no such item"}`, 404, "failed", a2a.StateFailed, 502, `"{\"error\":\"no such item\"}"`, `answered 404 Not Found: {"error":"no such item"}`},
		{"/500", "image/png", "\x89PNG\x00\x01", 500, "failed", a2a.StateFailed, 502, "", "answered 500 Internal Server Error"},
		{"/304", "text/plain", "", 304, "failed", a2a.StateFailed, 502, "", "answered 304 Not Modified"},
	} {
		if c.code == 200 || c.body != "" || c.status == 304 {
			a.says(c.path, c.contentType, c.body, c.status)
		}
		r := newRig(t, httpTool("acme.get", `"url":"`+a.URL+`/{x}"`, `,"maxOutput":"300B"`), nil)
		e := r.run("acme.get", `{"x":"`+c.path[1:]+`"}`).is(c.outcome, c.state, c.code).says(c.says)
		if c.data != "" {
			e.data(c.data)
		}
		if c.outcome == "artifact" {
			if p := e.artifact("output"); p.MediaType != "image/png" || string(p.Raw) != c.body {
				t.Errorf("artifact %s %q", p.MediaType, p.Raw)
			}
		}
	}
}

func TestHTTPOutputSchema(t *testing.T) {
	a := newAPI(t)
	a.says("/good", "application/json", `{"n":1}`, 200)
	a.says("/bad", "application/json", `{"n":"1"}`, 200)
	tools := strings.Replace(httpTool("acme.get", `"url":"`+a.URL+`/{x}"`, ""), `"x-sidecar"`, `"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},"x-sidecar"`, 1)
	r := newRig(t, tools, nil)
	r.run("acme.get", `{"x":"good"}`).is("final", a2a.StateCompleted, 200)
	r.run("acme.get", `{"x":"bad"}`).is("failed", a2a.StateFailed, 502).says("outputSchema", "/n")
}

// Each hop is judged, and what is for the first host goes to no other.
func TestHTTPRedirects(t *testing.T) {
	a, b := newAPI(t), newAPI(t)
	a.says("/end", "text/plain", "here", 200)
	b.says("/end", "text/plain", "there", 200)
	for i := range 7 {
		a.leads(fmt.Sprintf("/%d", i+1), fmt.Sprintf("/%d", i), 302)
	}
	a.leads("/0", "/end", 302)
	a.leads("/other", b.URL+"/end", 302)
	a.leads("/name", strings.Replace(b.URL, "127.0.0.1", "localhost", 1)+"/end", 302)
	a.leads("/metadata", "http://169.254.169.254/latest/meta-data/", 302)
	a.leads("/file", "file:///etc/passwd", 302)
	tool := func(name, extra string) string {
		return httpTool(name, `"method":"POST","body":"arguments","url":"`+a.URL+`/{x}?q={q}","headers":{"Authorization":"Bearer $ACME_TOKEN","X-Api-Key":"$ACME_TOKEN"}`, extra)
	}
	at := func(a *api) string { u, _ := url.Parse(a.URL); return `"` + u.Host + `"` }
	r := newRig(t, tool("acme.own", "")+","+tool("acme.both", `,"requires":{"net":{"hosts":[`+at(a)+`,`+at(b)+`]}}`)+","+
		tool("acme.none", `,"requires":{"net":{"hosts":["other.example"]}}`), nil, env("ACME_TOKEN="+secret))
	r.run("acme.own", `{"x":"4"}`).is("final", a2a.StateCompleted, 200).data(`"here"`)
	if len(a.seen) != 6 || a.last.Header.Get("Authorization") == "" {
		t.Errorf("five redirects on one host: %s, %v", a.seen, a.last.Header)
	}
	r.run("acme.own", `{"x":"5"}`).is("failed", a2a.StateFailed, 502).says("more than 5 redirects")
	for _, where := range []string{"other", "name", "metadata"} {
		r.run("acme.own", `{"x":"`+where+`"}`).is("failed", a2a.StateFailed, 502).says("are not allowed", "requires.net.hosts")
	}
	r.run("acme.both", `{"x":"metadata"}`).is("failed", a2a.StateFailed, 502).says("169.254.169.254:80 are not allowed")
	r.run("acme.both", `{"x":"file"}`).is("failed", a2a.StateFailed, 502)
	if len(b.seen) != 0 {
		t.Errorf("the other host got %s", b.seen)
	}
	r.run("acme.both", `{"x":"other","q":"asked"}`).is("final", a2a.StateCompleted, 200).data(`"there"`)
	for name, v := range b.last.Header {
		if text := strings.Join(v, ","); strings.Contains(text, secret) || strings.Contains(text, "asked") {
			t.Errorf("the other host got %s: %s", name, text)
		}
	}
	asked := len(a.seen)
	r.run("acme.none", `{"x":"end"}`).is("denied", a2a.StateRejected, 403)
	if len(a.seen) != asked {
		t.Error("a tool without hosts was let through")
	}
}

// A redirect that keeps the method takes it, with the body, to the same origin and to no other,
// although the tool requires that.
func TestHTTPRedirectsThatKeepTheBody(t *testing.T) {
	a, b := newAPI(t), newAPI(t)
	a.says("/end", "text/plain", "here", 200)
	b.says("/end", "text/plain", "there", 200)
	host := func(a *api) string { return strings.TrimPrefix(a.URL, "http://") }
	local := strings.Replace(a.URL, "127.0.0.1", "localhost", 1)
	for _, status := range []int{302, 303, 307, 308} {
		a.leads(fmt.Sprint("/same/", status), "/end", status)
		a.leads(fmt.Sprint("/other/", status), b.URL+"/end", status)
		a.leads(fmt.Sprint("/twice/", status), fmt.Sprint("/other/", status), status)
		a.leads(fmt.Sprint("/name/", status), local+"/end", status)
	}
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		body := "none"
		if method == "POST" || method == "PUT" {
			body = "arguments"
		}
		tool := strings.Replace(httpTool("acme.send", `"method":"`+method+`","body":"`+body+`","url":"`+a.URL+`/{x}/{q}"`,
			`,"requires":{"net":{"hosts":["`+host(a)+`","`+host(b)+`","`+strings.TrimPrefix(local, "http://")+`"]}}`), `"required":["x"]`, `"required":["x","q"]`, 1)
		r := newRig(t, tool, nil)
		for _, where := range []string{"same", "other", "twice", "name"} {
			for _, status := range []int{302, 303, 307, 308} {
				a.body, b.body, b.last = "", "", nil
				e := r.run("acme.send", fmt.Sprintf(`{"x":%q,"q":"%d"}`, where, status))
				keeps := method != "GET" && status > 303
				if keeps && where != "same" {
					to := map[bool]string{true: strings.TrimPrefix(local, "http://"), false: host(b)}[where == "name"]
					e.is("failed", a2a.StateFailed, 502).says("the request to "+to, fmt.Sprintf("a redirect (%d) wants the %s", status, method), a.URL+" alone")
					if b.last != nil {
						t.Errorf("%s %s %d: the other host got %s %q", method, where, status, b.last.Method, b.body)
					}
					continue
				}
				e.is("final", a2a.StateCompleted, 200)
				at := map[string]*api{"same": a, "other": b, "twice": b, "name": a}[where]
				want := "GET"
				if keeps {
					want = method
				}
				if at.last.Method != want || (at.body != "") != (keeps && body == "arguments") {
					t.Errorf("%s %s %d: the host got %s %q", method, where, status, at.last.Method, at.body)
				}
			}
		}
	}
}

// A host that the policy denies is not reached by a redirect either, although the tool requires
// it. What the call itself names was judged as such.
func TestHTTPRedirectsAreJudgedByTheRules(t *testing.T) {
	a, b := newAPI(t), newAPI(t)
	a.says("/end", "text/plain", "here", 200)
	b.says("/end", "text/plain", "there", 200)
	a.leads("/other", b.URL+"/end", 302)
	host := func(a *api) string { return strings.TrimPrefix(a.URL, "http://") }
	uses := `,"uses":{"net.fetch":["/q"]},"requires":{"net":{"hosts":["` + host(a) + `","` + host(b) + `"]}}`
	for _, c := range []struct{ denied, x, q, outcome string }{
		{"", "other", host(a), "final"},
		{host(b), "end", host(a), "final"},
		{host(b), "other", host(a), "failed"},
		{host(b), "other", host(b), "denied"},
	} {
		asked := len(b.seen)
		r := newRig(t, httpTool("acme.get", `"url":"`+a.URL+`/{x}"`, uses), nil, func(o *call.Options) {
			o.Decider = deciderFunc(func(q policy.Request) policy.Decision {
				if slices.ContainsFunc(q.Uses, func(u policy.Use) bool { return u.Value == c.denied && !u.Declared }) {
					return policy.Decision{Reason: "not there"}
				}
				return policy.Decision{Verdict: policy.Allow}
			})
		})
		e := r.run("acme.get", `{"x":"`+c.x+`","q":"`+c.q+`"}`)
		if e.inv.Outcome().String() != c.outcome || c.outcome != "final" && (len(b.seen) != asked || !strings.Contains(e.text(), "not there")) {
			t.Errorf("%+v: %s", c, e.inv.Envelope())
		}
	}
}

// A value of the environment is in the header, and nowhere else: a server that repeats it, whole
// or in the middle of its words, does not make it known.
func TestHTTPSecrets(t *testing.T) {
	a := newAPI(t)
	for _, path := range []string{"/200", "/401"} {
		a.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(map[string]int{"/200": 200, "/401": 401}[path])
			for _, c := range r.Header.Get("Authorization") { // in pieces
				_, _ = io.WriteString(w, string(c))
				_ = http.NewResponseController(w).Flush()
			}
		})
	}
	a.leads("/away", "http://"+secret+".invalid:1/", 302)
	a.mux.HandleFunc("/nonsense", func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, "HTTP/9 "+r.Header.Get("Authorization")+"\r\n\r\n")
			conn.Close()
		}
	})
	const header = `"headers":{"Authorization":"Bearer $ACME_TOKEN"}`
	r := newRig(t, httpTool("acme.get", `"url":"`+a.URL+`/{x}",`+header, "")+","+httpTool("acme.unset", `"url":"`+a.URL+`/{x}","headers":{"X":"$NOT_SET"}`, "")+","+
		httpTool("acme.line", `"url":"`+a.URL+`/{x}","headers":{"X":"$LINES"}`, ""), nil, env("ACME_TOKEN="+secret, "LINES=a-long-secret\r\nX-Evil: 1"))
	calls := []ended{
		r.run("acme.get", `{"x":"200"}`).is("redacted", a2a.StateCompleted, 200).data(`"Bearer [redacted]"`),
		r.run("acme.get", `{"x":"401"}`).is("failed", a2a.StateFailed, 502).says("answered 401", "[redacted]"),
		r.run("acme.get", `{"x":"away"}`).is("failed", a2a.StateFailed, 502),
		r.run("acme.get", `{"x":"nonsense"}`).is("failed", a2a.StateFailed, 502),
		r.run("acme.unset", `{"x":"200"}`).is("unavailable", a2a.StateFailed, 503).says("NOT_SET", "is not set"),
		r.run("acme.line", `{"x":"200"}`).is("unavailable", a2a.StateFailed, 503).says("LINES", "line break"),
	}
	for _, e := range calls {
		whole, err := json.Marshal(e.task)
		if err != nil || strings.Contains(string(whole), secret) || strings.Contains(string(whole), "a-long-secret") {
			t.Errorf("a task has the secret: %s, %v", whole, err)
		}
	}
	if log := r.log.String(); strings.Contains(log, secret) || strings.Contains(log, "a-long-secret") {
		t.Errorf("the log has the secret: %s", log)
	}
}

// An answer without end is read as long as its head is wanted.
func TestHTTPEndless(t *testing.T) {
	a := newAPI(t)
	a.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		for block := strings.Repeat("x", 64<<10); ; {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
	})
	r := newRig(t, httpTool("acme.get", `"url":"`+a.URL+`/{x}"`, `,"maxOutput":"100KB","timeout":"1m"`), nil)
	r.run("acme.get", `{"x":"1"}`).is("truncated", a2a.StateCompleted, 200)
}

// A call that is stopped does not wait for the server, and keeps what it has said.
func TestHTTPStopped(t *testing.T) {
	a := newAPI(t)
	arrived := make(chan struct{}, 4)
	hang := func(said string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if said != "" {
				_, _ = io.WriteString(w, said)
				_ = http.NewResponseController(w).Flush()
			}
			arrived <- struct{}{}
			<-r.Context().Done()
		}
	}
	a.mux.HandleFunc("/silent", hang(""))
	a.mux.HandleFunc("/half", hang("so far"))
	r := newRig(t, httpTool("acme.get", `"url":"`+a.URL+`/{x}"`, "")+","+httpTool("acme.short", `"url":"`+a.URL+`/{x}"`, `,"timeout":"300ms"`), nil)
	inv := r.p.Start(call.Request{Tool: "acme.get", Arguments: json.RawMessage(`{"x":"silent"}`)})
	<-arrived
	inv.Task().Cancel(task.ErrCanceled)
	r.ended(inv).is("canceled", a2a.StateCanceled, 409)
	begun := time.Now()
	r.run("acme.short", `{"x":"silent"}`).is("timed_out", a2a.StateFailed, 504).says("300ms")
	e := r.run("acme.short", `{"x":"half"}`)
	if e.is("partial", a2a.StateFailed, 200).data(`"so far"`); e.env.Metadata.Reason != "timed_out" {
		t.Errorf("reason %s", e.env.Metadata.Reason)
	}
	if took := time.Since(begun); took < 600*time.Millisecond {
		t.Errorf("two time limits passed in %s", took)
	}
}
