package web

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// The limits of one fetch.
const (
	// Timeout is the time of a fetch, to the end of its body.
	Timeout = 30 * time.Second
	// HeaderTimeout is the time for the answer to begin, and for a TLS handshake.
	HeaderTimeout = 15 * time.Second
	// MaxRedirects is how many redirects are followed.
	MaxRedirects = 5
	// MaxHeader is the longest head of an answer, in bytes.
	MaxHeader = 64 << 10
	// MaxURL is the longest URL, in bytes, and that of a redirect.
	MaxURL = 8 << 10
	// maxReason is how much of an error's words is told, in bytes.
	maxReason = 300
)

// accept says what is wanted most.
const accept = "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5"

// Options are what a Net is made of.
type Options struct {
	// Dial connects to host:port if the call may. Its error is told in words.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// UserAgent names the sidecar and its version.
	UserAgent string
	// Timeout and HeaderTimeout are those of the constants if they are 0.
	Timeout, HeaderTimeout time.Duration
}

// Net implements tool.Net. Many goroutines may use it.
type Net struct{ opts Options }

var _ tool.Net = (*Net)(nil)

// New returns a network. It starts nothing.
func New(o Options) *Net {
	if o.Timeout == 0 {
		o.Timeout = Timeout
	}
	if o.HeaderTimeout == 0 {
		o.HeaderTimeout = HeaderTimeout
	}
	return &Net{o}
}

// Get implements tool.Net. The body's reader returns an error if the answer breaks off, or the time is over.
// The errors are written for the model; that of a context's end is its cause.
func (n *Net) Get(ctx context.Context, address string) (*tool.Response, error) {
	u, err := parse(address)
	if err != nil {
		return nil, err
	}
	outer := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, n.opts.Timeout, fmt.Errorf("it took longer than %s", n.opts.Timeout))
	transport := n.transport(ctx)
	end := func() {
		cancel()
		transport.CloseIdleConnections()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		end()
		return nil, errors.New("its URL cannot be requested")
	}
	req.Header.Set("User-Agent", n.opts.UserAgent)
	req.Header.Set("Accept", accept)
	client := http.Client{Transport: transport, CheckRedirect: redirect}
	res, err := client.Do(req)
	if err != nil {
		err = words(ctx, outer, u, err)
		end()
		return nil, err
	}
	media, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		media = ""
	}
	return &tool.Response{
		URL: res.Request.URL.String(), Status: res.StatusCode, MediaType: media, Charset: params["charset"],
		Body: &body{ReadCloser: res.Body, ctx: ctx, outer: outer, host: res.Request.URL.Host, end: end},
	}, nil
}

// transport returns the connections of one fetch. One that is being made ends with it.
func (n *Net) transport(ctx context.Context) *http.Transport {
	return &http.Transport{ // a new one: the default one may use a proxy
		DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
			return n.opts.Dial(ctx, address)
		},
		TLSHandshakeTimeout: n.opts.HeaderTimeout, ResponseHeaderTimeout: n.opts.HeaderTimeout,
		MaxResponseHeaderBytes: MaxHeader, DisableKeepAlives: true,
	}
}

// parse reads a URL. The errors say what to write instead.
func parse(address string) (*url.URL, error) {
	if len(address) > MaxURL {
		return nil, fmt.Errorf("the url is %d bytes long, and %d is the limit", len(address), MaxURL)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%s is not a URL: %w", text.Quote(address, maxReason), errors.Unwrap(err))
	}
	return u, check(u)
}

// check refuses a URL to which no request is sent.
func check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%s is not http or https: write the whole URL, as in https://example.com/page", text.Quote(u.Redacted(), maxReason))
	case u.Host == "":
		return fmt.Errorf("%s has no host: write the whole URL, as in https://example.com/page", text.Quote(u.Redacted(), maxReason))
	case u.User != nil:
		return fmt.Errorf("%s has a user name or a password, and none is ever sent: leave it out", text.Quote(u.Redacted(), maxReason))
	}
	return nil
}

// redirectError is the error of a redirect that is not followed.
type redirectError struct{ error }

// redirect judges a redirect's URL; where it leads is judged when it is connected to.
func redirect(req *http.Request, via []*http.Request) error {
	if len(via) > MaxRedirects {
		return redirectError{fmt.Errorf("there are more than %d redirects, the last one to %s", MaxRedirects, text.Quote(req.URL.Redacted(), maxReason))}
	}
	if len(req.URL.String()) > MaxURL {
		return redirectError{fmt.Errorf("a redirect is longer than %d bytes", MaxURL)}
	}
	if err := check(req.URL); err != nil {
		return redirectError{fmt.Errorf("a redirect is not followed: %w", err)}
	}
	req.Header.Del("Referer")
	return nil
}

// words returns why there is no answer. The context of the fetch ends with outer, that of the call.
func words(ctx, outer context.Context, first *url.URL, err error) error {
	switch {
	case outer.Err() != nil:
		return context.Cause(outer)
	case ctx.Err() != nil:
		return fmt.Errorf("the request to %s: %w", first.Host, context.Cause(ctx))
	}
	host, way := first.Host, ""
	if at := (*url.Error)(nil); errors.As(err, &at) {
		err = at.Err
		if to, parsed := url.Parse(at.URL); parsed == nil && to.Host != "" && to.Host != host {
			host, way = to.Host, ", to which "+host+" redirects"
		}
	}
	if refused := (redirectError{}); errors.As(err, &refused) {
		return refused.error
	}
	return fmt.Errorf("the request to %s%s: %s", text.Show(host), text.Show(way), text.Line(reason(err), maxReason))
}

// reason returns the words of an error; those of net/http name what is wrong with an answer.
func reason(err error) string {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return "it did not answer in time"
	}
	if strings.Contains(err.Error(), "server response headers exceeded") {
		return fmt.Sprintf("the head of its answer is longer than %d bytes", MaxHeader)
	}
	return err.Error()
}
