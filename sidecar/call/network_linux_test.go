package call_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// networked confines exec tools, each with a network of its own, or skips the test.
func networked(t testing.TB) func(*call.Options) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	spaces := sandbox.NewNamespaces(self)
	if err := spaces.Fault(); err != nil {
		t.Skip(err)
	}
	keeper, err := confine.New(confine.Options{Mode: confine.Required, Self: self, Namespaces: spaces})
	if err != nil {
		t.Skip(err)
	}
	return func(o *call.Options) { o.Sandbox = keeper }
}

// upstreams are servers in the test's network: by IPv4, by IPv6 ("" without it), and by UDP.
func upstreams(t *testing.T) (four, six, datagrams string) {
	say := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	srv := httptest.NewServer(say)
	t.Cleanup(srv.Close)
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil {
		srv6 := httptest.NewUnstartedServer(say)
		srv6.Listener.Close()
		srv6.Listener = l
		srv6.Start()
		t.Cleanup(srv6.Close)
		six = l.Addr().String()
	}
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	go func() {
		b := make([]byte, 512)
		for {
			n, from, err := u.ReadFrom(b)
			if err != nil {
				return
			}
			answer := answerName(b[:n])
			if answer == nil {
				answer = []byte("12345678")
			}
			_, _ = u.WriteTo(answer, from)
		}
	}()
	return srv.Listener.Addr().String(), six, u.LocalAddr().String()
}

// reachTool tries ways; hosts are those that it requires.
func reachTool(name string, hosts []string, ways ...string) string {
	list, _ := json.Marshal(hosts)
	return execTool(name, `,"requires":{"net":{"hosts":`+string(list)+`}}`, append([]string{"tool:reach"}, ways...)...)
}

// A tool reaches the hosts that it requires by its proxy, and nothing in any other way. Without a
// sandbox, all of these ways are open.
func TestNetworkOfATool(t *testing.T) {
	confined := networked(t)
	four, six, datagrams := upstreams(t)
	other, _, _ := upstreams(t)
	port := netip.MustParseAddrPort(four).Port()
	hosts := []string{four, "localhost:" + fmt.Sprint(port)}
	ways := map[string][2]string{ // without a sandbox, and in one
		"proxy http://" + four + "/":                    {"no proxy", "200 hello"},
		fmt.Sprintf("proxy http://localhost:%d/", port): {"no proxy", "200 hello"},
		"proxy http://" + other + "/":                   {"no proxy", "403"},
		"proxy http://169.254.169.254/":                 {"no proxy", "403"},
		"tcp " + four:                                   {"yes", "no"},
		"udp " + datagrams:                              {"yes", "no"},
		"dns " + datagrams:                              {"yes", "no"},
	}
	if six != "" {
		hosts = append(hosts, six)
		ways["proxy http://"+six+"/"] = [2]string{"no proxy", "200 hello"}
		ways["tcp "+six] = [2]string{"yes", "no"}
	}
	var list []string
	for way := range ways {
		list = append(list, way)
	}
	slices.Sort(list)
	for i, tweak := range []func(*call.Options){func(*call.Options) {}, confined} {
		r := newRig(t, reachTool("acme.reach", hosts, list...), nil, withHost(t), tweak, func(o *call.Options) { o.RuntimeDir = t.TempDir() })
		e := r.run("acme.reach", `{}`).is("final", a2a.StateCompleted, 200)
		var got map[string]string
		if err := json.Unmarshal(e.env.Data, &got); err != nil {
			t.Fatalf("%s: %v", e.env.Data, err)
		}
		for way, want := range ways {
			if !strings.HasPrefix(got[way], want[i]) {
				t.Errorf("confined %v, %s: %q, want %q", i == 1, way, got[way], want[i])
			}
		}
	}
}

// Nobody reaches what a tool listens at, and the proxy of one call is of no use to another.
func TestNetworksAreApart(t *testing.T) {
	confined := networked(t)
	four, _, _ := upstreams(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	hosts, _ := json.Marshal([]string{four})
	hold := execTool("acme.hold", `,"effects":"read","requires":{"net":{"hosts":`+string(hosts)+`}}`, "tool:hold", at)
	steal := strings.Replace(execTool("acme.steal", `,"effects":"read","requires":{"net":{"hosts":`+string(hosts)+`}}`, "tool:reach", "with {proxy} http://"+four+"/"),
		`"inputSchema":{"type":"object"}`, `"inputSchema":{"type":"object","properties":{"proxy":{"type":"string"}},"required":["proxy"]}`, 1)
	r := newRig(t, hold+","+steal, nil, withHost(t), confined, func(o *call.Options) { o.RuntimeDir = t.TempDir() })
	inv, f := r.follow(call.Request{Tool: "acme.hold"})
	var said string
	f.next(func(e *a2a.Event) bool {
		if u := toolCall(t, e); u != nil {
			said += u.Live
		}
		return strings.HasSuffix(said, "\n")
	})
	proxy, listens, _ := strings.Cut(strings.TrimSpace(said), " ")
	if listens != "true" || !strings.HasPrefix(proxy, "http://call:") {
		t.Fatalf("the tool says %q", said)
	}
	if conn, err := net.Dial("tcp", at); err == nil {
		conn.Close()
		t.Error("what the tool listens at is reached")
	}
	e := r.run("acme.steal", `{"proxy":"`+proxy+`"}`).is("final", a2a.StateCompleted, 200)
	if !strings.Contains(string(e.env.Data), `"407 `) {
		t.Errorf("by another call's proxy: %s", e.env.Data)
	}
	inv.Task().Cancel(errCanceled)
	await.One(t, inv.Done(), "the call's end")
}

// Where no network of its own can be had, a tool still reaches its hosts by its proxy and, but for
// whoever listens at the proxy's port, nobody in any other way.
func TestSharedNetwork(t *testing.T) {
	if sandbox.Probe().ABI < 4 {
		t.Skip("this kernel does not restrict TCP ports")
	}
	four, _, datagrams := upstreams(t)
	other, _, _ := upstreams(t)
	ways := map[string]string{
		"proxy http://" + four + "/": "200 hello", "proxy http://" + other + "/": "403", "tcp " + four: "no", "udp " + datagrams: "no", "dns " + datagrams: "no",
	}
	var list []string
	for way := range ways {
		list = append(list, way)
	}
	r := newRig(t, reachTool("acme.reach", []string{four}, list...), nil, withHost(t), sandboxed(t, confine.Auto), func(o *call.Options) { o.RuntimeDir = t.TempDir() })
	e := r.run("acme.reach", `{}`).is("final", a2a.StateCompleted, 200)
	var got map[string]string
	if err := json.Unmarshal(e.env.Data, &got); err != nil {
		t.Fatalf("%s: %v", e.env.Data, err)
	}
	for way, want := range ways {
		if !strings.HasPrefix(got[way], want) {
			t.Errorf("%s: %q, want %q", way, got[way], want)
		}
	}
	refuses := newRig(t, reachTool("acme.reach", []string{four}), nil, withHost(t), sandboxed(t, confine.Required), func(o *call.Options) { o.RuntimeDir = t.TempDir() })
	refuses.run("acme.reach", `{}`).is("unavailable", a2a.StateFailed, 503).says("the port of its proxy", "--sandbox required")
}

// The audit has each connection that a tool made or was refused.
func TestNetworkIsAudited(t *testing.T) {
	confined := networked(t)
	four, _, _ := upstreams(t)
	var kept inMemory
	r := newRig(t, reachTool("acme.reach", []string{four}, "proxy http://"+four+"/", "proxy http://"+four+"/", "proxy http://a.example/"), nil,
		withHost(t), confined, func(o *call.Options) { o.RuntimeDir, o.Audit = t.TempDir(), &kept })
	r.run("acme.reach", `{}`).is("final", a2a.StateCompleted, 200)
	var egress []audit.Egress
	for _, rec := range kept.records() {
		egress = append(egress, rec.Egress...)
	}
	// The connections end when they end: their order is not told.
	slices.SortFunc(egress, func(a, b audit.Egress) int { return strings.Compare(a.Host, b.Host) })
	if len(egress) != 2 || egress[0].Host != four || !egress[0].Allowed || egress[0].Address != "127.0.0.1" || egress[1].Host != "a.example:80" || egress[1].Allowed || egress[1].Reason == "" {
		t.Errorf("the audit has %+v", egress)
	}
}

// Of what a program requires, the hosts that a rule denies are refused one by one if it has a network
// of its own. Otherwise nothing would refuse them, and the whole call is denied.
func TestHostsThatAreDeniedInANetwork(t *testing.T) {
	confined := networked(t)
	good, _, _ := upstreams(t)
	evil, _, _ := upstreams(t)
	asked, _, _ := upstreams(t)
	tool := reachTool("acme.reach", []string{"127.0.0.1:*"}, "proxy http://"+good+"/", "proxy http://"+evil+"/", "proxy http://"+asked+"/")
	rules := ruled(t, nil, rule("allow", "acme.reach", ""), rule("deny", "net.fetch", evil))
	kept := &inMemory{}
	r := newRig(t, tool, nil, withHost(t), confined, rules, func(o *call.Options) { o.RuntimeDir, o.Audit = t.TempDir(), kept })
	e := r.run("acme.reach", `{}`).is("final", a2a.StateCompleted, 200)
	for at, want := range map[string]string{good: "200 hello", evil: "403", asked: "200 hello"} {
		if !strings.Contains(string(e.env.Data), `"proxy http://`+at+`/":"`+want) {
			t.Errorf("%s: want %s in %s", at, want, e.env.Data)
		}
	}
	all := kept.records()[1].Egress
	i := slices.IndexFunc(all, func(e audit.Egress) bool { return e.Host == evil })
	if len(all) != 3 || i < 0 || all[i].Allowed || all[i].Line != 3 || all[i].File != "p.json" || !strings.HasPrefix(all[i].Rule, "deny net.fetch") {
		t.Errorf("the audit has %+v", all)
	}
	for name, tweak := range map[string]func(*call.Options){"no sandbox": func(*call.Options) {}, "no network of its own": sandboxed(t, confine.Auto)} {
		r := newRig(t, tool, nil, withHost(t), tweak, rules, func(o *call.Options) { o.RuntimeDir = t.TempDir() })
		if e := r.run("acme.reach", `{}`); e.inv.Outcome().String() != "denied" {
			t.Errorf("%s: %s", name, e.inv.Envelope())
		}
	}
}

// A panic of the rules in a goroutine of the proxy refuses that connection, and no more.
func TestRulesThatPanicInANetwork(t *testing.T) {
	confined := networked(t)
	good, _, _ := upstreams(t)
	evil, _, _ := upstreams(t)
	r := newRig(t, reachTool("acme.reach", []string{"127.0.0.1:*"}, "proxy http://"+evil+"/", "proxy http://"+good+"/"), nil, withHost(t), confined, func(o *call.Options) {
		o.RuntimeDir = t.TempDir()
		o.Decider = deciderFunc(func(q policy.Request) policy.Decision {
			if len(q.Uses) == 1 && q.Uses[0].Value == evil {
				panic("a rule is broken")
			}
			return policy.Decision{Verdict: policy.Allow}
		})
	})
	e := r.run("acme.reach", `{}`).is("final", a2a.StateCompleted, 200)
	if said := string(e.env.Data); !strings.Contains(said, `"403`) || !strings.Contains(said, `"200 hello`) || !strings.Contains(r.log.String(), "a rule is broken") {
		t.Errorf("%s, log %s", said, r.log.String())
	}
}
