package call

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

const (
	// maxRedirects is how many redirects one call follows.
	maxRedirects = 5
	// maxResponseHead is the most bytes of a response's head.
	maxResponseHead = 64 << 10
)

// runHTTP sends a tool's request: the response's body is the result. Each host on the way is
// judged when it is connected to. The values of variables in the headers are taken out of all that
// comes back (see secrets).
func (p *Pipeline) runHTTP(ctx context.Context, inv *Invocation) *execution {
	x := &exchange{inv: inv, e: &execution{out: p.listen(inv)}}
	err := x.prepare(ctx, p.opts.Env)
	if err != nil {
		return unavailable(inv, err.Error())
	}
	transport := x.transport(ctx, p.hostRules(inv), p.logOf(inv))
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: x.redirect}
	res, err := client.Do(x.request)
	if err != nil {
		return x.failed(ctx, err)
	}
	defer res.Body.Close()
	return x.read(ctx, res)
}

// exchange is one request of a tool with all that follows from it.
type exchange struct {
	inv     *Invocation
	e       *execution
	hosts   netguard.Hosts
	request *http.Request
	own     []string // names of the tool's own headers
}

// prepare makes the request. The error contains no value of a variable.
func (x *exchange) prepare(ctx context.Context, env []string) (err error) {
	tool := x.inv.tool
	h := tool.Bridge.HTTP
	if x.hosts, err = netguard.ParseHosts(x.inv.input.set.NetHosts); err != nil {
		return err
	}
	var body io.Reader
	if h.Body == manifest.BodyArguments {
		body = strings.NewReader(x.inv.input.final)
	}
	if x.request, err = http.NewRequestWithContext(ctx, h.Method, x.inv.input.url, body); err != nil {
		return errors.New("its URL cannot be requested")
	}
	header := x.request.Header
	header.Set("User-Agent", "a2a-sidecar")
	header.Set("Accept", "application/json, text/*;q=0.9, */*;q=0.8")
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
	if x.inv.request.TraceParent != "" {
		header.Set("Traceparent", x.inv.request.TraceParent)
	}
	return x.headers(h, env)
}

// transport returns the connections of the call. They use no proxy, which would connect in our
// place, and are judged one by one. A connection that is being made ends with the call.
func (x *exchange) transport(ctx context.Context, rules hostRules, log *slog.Logger) *http.Transport {
	dialer := egress.Dialer{Hosts: x.hosts, Judge: rules, Log: log}
	return &http.Transport{
		DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
			conn, attempt, err := dialer.DialAddress(ctx, address)
			x.inv.egress.tell(attempt)
			return conn, err
		},
		DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxResponseHead,
	}
}

// headers adds the tool's own headers.
func (x *exchange) headers(h *manifest.HTTP, env []string) error {
	variable := func(name string) (string, bool) { return lookup(env, name) }
	for _, own := range h.Headers {
		value, err := own.Expand(variable)
		if err != nil {
			return err
		}
		x.request.Header.Set(own.Name, value)
		x.own = append(x.own, own.Name)
	}
	return nil
}

// lookup returns a variable of an environment.
func lookup(env []string, name string) (value string, ok bool) {
	for _, v := range env {
		if n, rest, found := strings.Cut(v, "="); found && n == name {
			value, ok = rest, true
		}
	}
	return value, ok
}

// redirect judges a redirect. The tool's own headers are for the place that it names: another
// one, or the same without TLS, does not get them, nor the arguments in the address. A redirect that
// keeps the method (307, 308) and with it the body is not followed to there.
func (x *exchange) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("there are more than %d redirects", maxRedirects)
	}
	req.Header.Del("Referer")
	if first := via[0].URL; req.URL.Scheme != first.Scheme || req.URL.Host != first.Host {
		if req.Method != http.MethodGet && req.Method != http.MethodHead {
			return fmt.Errorf("a redirect (%d) wants the %s of the call here, which is for %s://%s alone: let the url of the tool name this place, if it is right",
				req.Response.StatusCode, req.Method, first.Scheme, first.Host)
		}
		for _, name := range x.own {
			req.Header.Del(name)
		}
		req.Header.Del("Traceparent")
	}
	return nil
}

// failed returns the execution of a request without a response. The error names the host that
// was asked, and not the rest of the URL.
func (x *exchange) failed(ctx context.Context, err error) *execution {
	if ctx.Err() != nil {
		x.e.stopped = context.Cause(ctx)
		return x.e
	}
	host := x.inv.tool.Bridge.HTTP.Host.String()
	if at := (*url.Error)(nil); errors.As(err, &at) {
		err = at.Err
		if to, parsed := url.Parse(at.URL); parsed == nil {
			host = to.Host
		}
	}
	words, _ := x.inv.secrets.Text(err.Error())
	words = cutText(words, reasonLimit)
	if refused := (*egress.RefusedError)(nil); errors.As(err, &refused) {
		words = refused.Error()
		if !refused.Judged {
			words += "; x-sidecar.requires.net.hosts of the tool says which are"
		}
	}
	x.e.failure = failed(fmt.Sprintf("the request to %s: %s", host, words))
	return x.e
}
