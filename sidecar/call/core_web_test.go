package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	core "github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// coreRig is a pipeline with tools of the sidecar's own beside those of a manifest. A person answers what is
// asked, and every record of the audit is kept.
type coreRig struct {
	*rig
	approvals *approval.Registry

	mu      sync.Mutex
	option  approval.Option
	asked   []string // the tools about which somebody was asked, with what was shown
	records []audit.Record
}

func (c *coreRig) Before(_ context.Context, r *audit.Record) error { c.After(r); return nil }

func (c *coreRig) After(r *audit.Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records = append(c.records, *r)
}

func (c *coreRig) Stand(string) *audit.Arguments { return &audit.Arguments{} }

// person answers.
func (c *coreRig) person(a *approval.Approval) func() {
	c.mu.Lock()
	c.asked = append(c.asked, a.Text())
	c.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() {
		err := c.approvals.Answer(context.Background(), approval.By{Person: true}, a.ID(), approval.Reply{Digest: a.Digest(), Option: c.option})
		if err != nil {
			c.t.Error(err)
		}
	})
	return wg.Wait
}

// newCoreRig makes the rig; web_fetch may reach the loopback, and acme.search is what searches.
func newCoreRig(t *testing.T, tools string, ids []string, tweak ...func(*call.Options)) *coreRig {
	t.Helper()
	set, err := core.NewSet(ids, "127.0.0.1:*")
	if err != nil {
		t.Fatal(err)
	}
	all := manifest.Compose(slices.Concat(set.Snapshot().Tools(), parse(t, tools, nil).Tools())...)
	c := &coreRig{approvals: approval.NewRegistry(approval.Limits{Max: 9, Remembered: 9, Timeout: time.Minute}), option: approval.Once}
	serve := func(o *call.Options) {
		o.Surface, o.Tools, o.Approvals, o.Person, o.Audit = func(*call.Request) *manifest.Snapshot { return all }, set, c.approvals, c.person, c
		o.Search = core.Search{Providers: []string{"acme.search"}, Calls: 25, Timeout: 15 * time.Second}
	}
	c.rig = newRig(t, "", nil, append([]func(*call.Options){serve}, tweak...)...)
	return c
}

// agent makes a call of the agent's own.
func (c *coreRig) agent(name, args string) ended {
	c.t.Helper()
	return c.ended(c.p.Start(call.Request{Tool: name, Arguments: json.RawMessage(args), Agent: true, ContextID: "c"}))
}

// The rules hold for the host of the URL, and for that of each redirect; an approval shows the host, and the
// audit has each connection.
func TestWebFetchHosts(t *testing.T) {
	a, b := newAPI(t), newAPI(t)
	a.says("/end", "text/html", "<title>A</title><p>here <b>now</b>", 200)
	b.says("/end", "text/html", "<title>B</title><p>there", 200)
	a.leads("/other", b.URL+"/end", 302)
	a.leads("/metadata", "http://169.254.169.254/latest", 302)
	host := func(a *api) string { return strings.TrimPrefix(a.URL, "http://") }
	fetch := rule("allow", "web_fetch", "")
	for name, c := range map[string]struct {
		path    string
		rules   []string // nil: none
		asked   int
		outcome string
		want    string // the data, or a part of the error
		egress  string
	}{
		"allowed":              {"/end", []string{fetch}, 0, "final", `"here **now**"`, host(a) + " true"},
		"a redirect":           {"/other", []string{fetch}, 0, "final", `"URL: ` + b.URL + `/end\nTitle: B\n\nthere"`, host(a) + " true " + host(b) + " true"},
		"the host is denied":   {"/end", []string{fetch, rule("deny", "net.fetch", host(a))}, 0, "denied", `you may not call "core.web_fetch": `, ""},
		"a redirect is denied": {"/other", []string{fetch, rule("deny", "net.fetch", host(b))}, 0, "failed", "the request to " + host(b) + ", to which " + host(a) + " redirects: connections to " + host(b) + " are not allowed: ", host(a) + " true " + host(b) + " false"},
		"a redirect is asked about": {
			"/other", []string{fetch, rule("ask", "net.fetch", host(b))}, 0, "failed",
			"it needs an approval, and nobody can be asked about a connection of a call that runs: ", host(a) + " true " + host(b) + " false",
		},
		"a redirect to an address that nobody may be sent to": {
			"/metadata", []string{fetch}, 0, "failed",
			"connections to 169.254.169.254:80 are not allowed: no pattern allows this address at this port; it may reach public hosts by their names, at ports 80 and 443, and those that --fetch-host names",
			host(a) + " true 169.254.169.254:80 false",
		},
		"the agent asks":       {"/end", nil, 1, "final", `"here **now**"`, host(a) + " true"},
		"asked about the host": {"/end", []string{fetch, rule("ask", "net.fetch", host(a))}, 1, "final", `"here **now**"`, host(a) + " true"},
	} {
		var tweak []func(*call.Options)
		if c.rules != nil {
			tweak = append(tweak, ruled(t, policy.NewSession(10), c.rules...))
		}
		r := newCoreRig(t, "", []string{"web_fetch"}, tweak...)
		e := r.agent("web_fetch", `{"url":"`+a.URL+c.path+`"}`)
		if got := e.inv.Outcome().String(); got != c.outcome || !strings.Contains(string(e.env.Data)+e.text(), c.want) {
			t.Errorf("%s: %s %s, want %s %s", name, got, e.inv.Envelope(), c.outcome, c.want)
		}
		if len(r.asked) != c.asked || c.asked > 0 && !strings.Contains(r.asked[0], host(a)) {
			t.Errorf("%s: asked %q", name, r.asked)
		}
		var egress []string
		for _, to := range r.records[len(r.records)-1].Egress {
			egress = append(egress, fmt.Sprint(to.Host, " ", to.Allowed))
		}
		if got := strings.Join(egress, " "); got != c.egress {
			t.Errorf("%s: the audit has %q, want %q", name, got, c.egress)
		}
	}
}

// What web_fetch refuses before anything is asked or sent.
func TestWebFetchArguments(t *testing.T) {
	r := newCoreRig(t, "", []string{"web_fetch"})
	for args, want := range map[string]string{
		`{}`:                                       "url",
		`{"url":"docs.example"}`:                   "/url",
		`{"url":"file:///etc/passwd"}`:             "/url",
		`{"url":"http://a:b@docs.example/"}`:       "/url must be a host or a URL: \"http://a:xxxxx@docs.example/\" has a user name before its host",
		`{"url":"http://docs.example","x":1}`:      "x",
		`{"url":"http://docs.example:22/"}`:        "/url is outside of what it may reach: * and 127.0.0.1:*; * is every public host, at ports 80 and 443, and --fetch-host adds others",
		`{"url":"http://169.254.169.254/"}`:        "/url is outside of what it may reach: * and 127.0.0.1:*; * is every public host, at ports 80 and 443, and --fetch-host adds others",
		`{"url":"http://[::1]/"}`:                  "/url is outside of what it may reach",
		`{"url":"http://docs.example","format":7}`: "/format",
	} {
		e := r.agent("web_fetch", args)
		if got := e.inv.Outcome().String(); got != "invalid_arguments" && got != "denied" || !strings.Contains(e.text(), want) {
			t.Errorf("%s: %s %s, want %s", args, got, e.text(), want)
		}
	}
	if len(r.asked) > 0 {
		t.Errorf("asked %q", r.asked)
	}
}

// searchTool is a tool that searches by an API of the test's.
func searchTool(a *api, extra string) string {
	return `{"name":"acme.search","description":"a test tool","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"max_results":{"type":"integer"}}},` +
		`"x-sidecar":{"effects":"read","bridge":{"http":{"url":"` + a.URL + `/s?q={query}&n={max_results}"}}` + extra + `}}`
}

// A search is a nested call of its provider: the rules for both hold, and what was answered with a yes is not
// asked again by the same rule.
func TestWebSearchRules(t *testing.T) {
	a := newAPI(t)
	a.says("/s", "application/json", `{"results":[{"title":"T","url":"u","snippet":"S"}]}`, 200)
	const found = `{"results":[{"title":"T","url":"u","snippet":"S"}]}`
	host := strings.TrimPrefix(a.URL, "http://")
	search, provider := "web_search", "acme.search"
	for name, c := range map[string]struct {
		rules  []string // nil: none
		option approval.Option
		asked  string // the tools that were asked about
		want   string // the data, or the error
	}{
		"without rules, the agent is asked about once": {nil, approval.Once, search, ""},
		"a no":                          {nil, approval.Reject, search, `the call of "core.web_search" was not approved`},
		"both allowed":                  {[]string{rule("allow", search, ""), rule("allow", provider, "")}, approval.Once, "", ""},
		"no rule, the default asks":     {[]string{rule("deny", "x.y", "")}, approval.Once, search, ""},
		"one rule asks about both":      {[]string{rule("ask", "*", "")}, approval.Once, search, ""},
		"the provider has its own rule": {[]string{rule("ask", search, ""), rule("ask", provider, "")}, approval.Once, search + " " + provider, ""},
		"only the provider asks":        {[]string{rule("allow", search, ""), rule("ask", provider, "")}, approval.Once, provider, ""},
		"the provider's host asks":      {[]string{rule("allow", search, ""), rule("allow", provider, ""), rule("ask", "net.fetch", host)}, approval.Once, provider, ""},
		"the provider is denied":        {[]string{rule("ask", search, ""), rule("deny", provider, "")}, approval.Once, search, `the search by acme.search: you may not call "acme.search": `},
		"the provider's host is denied": {[]string{rule("ask", search, ""), rule("allow", provider, ""), rule("deny", "net.fetch", host)}, approval.Once, search, `the search by acme.search: you may not call "acme.search": `},
		"the search is denied":          {[]string{rule("deny", search, ""), rule("allow", provider, "")}, approval.Once, "", `you may not call "core.web_search": `},
		"always, and then again":        {[]string{rule("ask", "*", "")}, approval.Always, search, ""},
		"always, of two rules":          {[]string{rule("ask", search, ""), rule("ask", provider, "")}, approval.Always, search + " " + provider, ""},
	} {
		var tweak []func(*call.Options)
		if c.rules != nil {
			tweak = append(tweak, ruled(t, policy.NewSession(10), c.rules...))
		}
		r := newCoreRig(t, searchTool(a, ""), []string{"web_search"}, tweak...)
		r.option = c.option
		e := r.agent("web_search", `{"query":"x"}`)
		if c.option == approval.Always {
			e = r.agent("web_search", `{"query":"x"}`) // asked no more
		}
		if c.want == "" {
			e.is("final", a2a.StateCompleted, 200).data(found)
		} else if !strings.Contains(e.text(), c.want) {
			t.Errorf("%s: %s, want %s", name, e.inv.Envelope(), c.want)
		}
		var asked []string
		for _, text := range r.asked {
			for _, one := range []string{search, provider} {
				if strings.Contains(text, one) {
					asked = append(asked, one)
				}
			}
		}
		if got := strings.Join(asked, " "); got != c.asked {
			t.Errorf("%s: asked about %q, want %q", name, got, c.asked)
		}
	}
}

// The provider's call is a call of its own in the audit, nested in the search, with its connection.
func TestWebSearchAudit(t *testing.T) {
	a := newAPI(t)
	a.says("/s", "application/json", `[{"title":"T","url":"u","snippet":"S"}]`, 200)
	r := newCoreRig(t, searchTool(a, ""), []string{"web_search"}, deciding(policy.Allow))
	e := r.run("web_search", `{"query":"a&b","max_results":3}`).is("final", a2a.StateCompleted, 200)
	if a.seen[0] != "GET /s?q=a%26b&n=3" {
		t.Errorf("the provider got %s", a.seen)
	}
	var order []string
	for _, one := range r.records {
		order = append(order, fmt.Sprintf("%s %s", one.Event, one.Tool))
		if one.Tool == "acme.search" && one.Event == audit.EventBefore && (one.Parent != e.task.ID || one.Door != "core") {
			t.Errorf("the nested call: %+v", one)
		}
		if one.Tool == "acme.search" && one.Event == audit.EventAfter && len(one.Egress) != 1 {
			t.Errorf("its connections: %+v", one.Egress)
		}
	}
	if got := strings.Join(order, ", "); got != "before core.web_search, before acme.search, after acme.search, after core.web_search" {
		t.Error(got)
	}
}

// A provider that does not answer has its time, and a search that is canceled stops its provider.
func TestWebSearchEnds(t *testing.T) {
	a := newAPI(t)
	reached := make(chan struct{}, 2)
	a.mux.HandleFunc("/s", func(_ http.ResponseWriter, r *http.Request) {
		reached <- struct{}{}
		<-r.Context().Done()
	})
	r := newCoreRig(t, searchTool(a, ""), []string{"web_search"}, deciding(policy.Allow), func(o *call.Options) { o.Search.Timeout = 50 * time.Millisecond })
	r.run("web_search", `{"query":"x"}`).is("failed", a2a.StateFailed, 502).says("the search by acme.search: the time limit of 50ms was reached")
	<-reached
	r = newCoreRig(t, searchTool(a, ""), []string{"web_search"}, deciding(policy.Allow))
	inv := r.p.Start(call.Request{Tool: "web_search", Arguments: json.RawMessage(`{"query":"x"}`)})
	await.One(t, reached, "the provider's request")
	inv.Task().Cancel(task.ErrCanceled)
	r.ended(inv).is("canceled", a2a.StateCanceled, 409)
	if last := r.records[len(r.records)-2]; last.Tool != "acme.search" || last.Outcome != "canceled" {
		t.Errorf("the provider's call: %+v", last)
	}
}

// A provider's answer that is no result is an error in words.
func TestWebSearchAnswers(t *testing.T) {
	for name, c := range map[string]struct{ contentType, body, extra, want string }{
		"too long":   {"application/json", `["` + strings.Repeat("x", 1000) + `"]`, `,"maxOutput":"100B"`, "the search by acme.search: its answer is longer than its limit: let it answer less, or raise its maxOutput"},
		"no text":    {"image/png", "\x89PNG\x00", "", "the search by acme.search: its answer is no text"},
		"no results": {"text/plain", "none", "", "the search by acme.search: its answer has no results: it must be"},
		"broken":     {"application/json", "[", "", "the search by acme.search: the output is not JSON as declared: "},
	} {
		a := newAPI(t)
		a.says("/s", c.contentType, c.body, 200)
		e := newCoreRig(t, searchTool(a, c.extra), []string{"web_search"}, deciding(policy.Allow)).run("web_search", `{"query":"x"}`)
		if e.inv.Outcome().String() != "failed" || !strings.Contains(e.text(), c.want) {
			t.Errorf("%s: %s", name, e.inv.Envelope())
		}
	}
	a := newAPI(t)
	r := newCoreRig(t, searchTool(a, ""), []string{"web_search"}, deciding(policy.Allow))
	r.run("web_search", `{"query":"x"}`).says("the search by acme.search: " + strings.TrimPrefix(a.URL, "http://") + " answered 404 Not Found")
}

// A tool whose setup is missing is unavailable in the words of the setup, before anybody is asked.
func TestCoreSetup(t *testing.T) {
	a := newAPI(t)
	r := newCoreRig(t, searchTool(a, ""), []string{"web_search"}, func(o *call.Options) {
		o.CoreSetup = func(t *manifest.Tool) string { return map[string]string{"core.web_search": "nothing searches"}[t.Name] }
	})
	r.agent("web_search", `{"query":"x"}`).is("unavailable", a2a.StateFailed, 503).says(`tool "core.web_search" is unavailable: nothing searches`)
	if len(r.asked) > 0 {
		t.Errorf("asked %q", r.asked)
	}
}
