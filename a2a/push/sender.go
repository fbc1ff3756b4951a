package push

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/internal/netguard"
)

// Options configure a Sender. Every field's zero value is usable.
type Options struct {
	// Timeout limits one attempt, from the look-up of the name to the end of the answer; 0
	// means DefaultTimeout.
	Timeout time.Duration
	// Allow lists private addresses to which notifications may be sent nevertheless.
	Allow []netip.Prefix
	// Resolver looks up names; nil means the system's resolver.
	Resolver *net.Resolver
	// UserAgent is the User-Agent header, "" for the default "a2a-sidecar".
	UserAgent string
}

// DefaultTimeout is the default of Options.Timeout.
const DefaultTimeout = 10 * time.Second

const (
	// maxRedirects is how many redirects one attempt follows.
	maxRedirects = 3
	// maxHeader is the size limit of an answer's header, in bytes.
	maxHeader = 64 << 10
	// maxAnswer is how many bytes of an answer are read: its content does not matter.
	maxAnswer = 64 << 10
	// idle is how long a connection is kept for the next event.
	idle = 15 * time.Second
)

// Sender sends notifications to the receivers that clients name (§4.3.3, §13.2). It never
// connects to a private address, whatever a name resolves to and wherever a receiver
// redirects to. It uses no proxy, and sends credentials only to the host that they are for.
// It is safe for concurrent use.
type Sender struct {
	opts   Options
	guard  netguard.Guard
	client *http.Client
}

// New returns a sender. It starts nothing.
func New(o Options) *Sender {
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.UserAgent = cmp.Or(o.UserAgent, "a2a-sidecar")
	s := &Sender{opts: o, guard: netguard.Guard{Allow: o.Allow}}
	// The transport continues to connect after the request was given up, so a connection
	// has limits of its own.
	dialer := &net.Dialer{Timeout: o.Timeout, Resolver: o.Resolver, Control: s.guard.Control}
	s.client = &http.Client{
		CheckRedirect: checkRedirect,
		Transport: &http.Transport{ // a new transport: the default one may use a proxy
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    o.Timeout,
			MaxIdleConns:           16,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        idle,
			MaxResponseHeaderBytes: maxHeader,
			DisableCompression:     true,
		},
	}
	return s
}

// Check returns an error if the sender would never connect to the receiver. It only
// examines the URL: a name is resolved when something is sent.
func (s *Sender) Check(c *a2a.PushConfig) error {
	u, err := c.ParseURL()
	if err != nil {
		return err
	}
	if err := s.guard.CheckHost(u.Hostname()); err != nil {
		return a2a.ErrInvalidParams.With("push config: url: %w", publicOnly(err))
	}
	return nil
}

// publicOnly adds the rule to the guard's error.
func publicOnly(err error) error {
	return fmt.Errorf("%w: notifications go to public addresses only", err)
}

// Close closes the idle connections.
func (s *Sender) Close() { s.client.CloseIdleConnections() }

// Error says why a notification was not delivered. It names the receiver's host and never
// the rest of the URL, the token or the credentials.
type Error struct {
	Host string
	// Status is the HTTP status of the receiver's answer, 0 if there was no answer.
	Status int
	// RetryAfter is the wait that the receiver asked for, 0 for none.
	RetryAfter time.Duration
	// Permanent reports whether another attempt would end in the same way.
	Permanent bool
	Err       error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("push to %s: %v", e.Host, e.Err)
	}
	return fmt.Sprintf("push to %s: answered %d %s", e.Host, e.Status, http.StatusText(e.Status))
}

func (e *Error) Unwrap() error { return e.Err }

// Send makes one attempt to deliver an event in the dialect of c: any event in 1.0, but
// only a Task or a Message in 0.3. The error is an *Error; nil means that the receiver has
// accepted the event.
func (s *Sender) Send(ctx context.Context, c *a2a.PushConfig, e *a2a.Event) error {
	u, err := c.ParseURL()
	if err != nil {
		return &Error{Host: "?", Permanent: true, Err: err}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.opts.Timeout, errTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(codec.EncodeEvent(e, c.Version)))
	if err != nil {
		return &Error{Host: u.Host, Permanent: true, Err: err}
	}
	s.header(req.Header, c)
	resp, err := s.client.Do(req)
	if err != nil {
		return sendError(ctx, u, err)
	}
	defer resp.Body.Close()
	// If an answer is read to its end, the connection can be reused for the next event.
	_, _ = io.CopyN(io.Discard, resp.Body, maxAnswer)
	return statusError(u, resp)
}

func (s *Sender) header(h http.Header, c *a2a.PushConfig) {
	h.Set("Content-Type", a2a.TypeA2A)
	if c.Version == a2a.V03 {
		h.Set("Content-Type", a2a.TypeJSON)
	}
	h.Set("User-Agent", s.opts.UserAgent)
	if c.Token != "" {
		h.Set("A2A-Notification-Token", c.Token)
		h.Set("X-A2A-Notification-Token", c.Token) // 0.3, and JavaScript receivers of both
	}
	if c.Scheme != "" && c.Credentials != "" {
		h.Set("Authorization", c.Scheme+" "+c.Credentials)
	}
	if c.TraceParent != "" {
		h.Set("Traceparent", c.TraceParent)
	}
}

var errTimeout = errors.New("no answer in time")

// errRedirect says that a redirect is not followed.
var errRedirect = errors.New("redirect refused")

// checkRedirect follows redirects that keep the body and stay where the
// credentials belong: on the host, and not from TLS to plain text.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("%w: more than %d", errRedirect, maxRedirects)
	case req.Method != http.MethodPost:
		return fmt.Errorf("%w: it would lose the body (answer 307 or 308)", errRedirect)
	case req.URL.Host != first.Host || req.URL.User != nil:
		return fmt.Errorf("%w: it leaves the host", errRedirect)
	case req.URL.Scheme != first.Scheme:
		return fmt.Errorf("%w: it leaves %s", errRedirect, first.Scheme)
	}
	return nil
}

// sendError returns the error of an attempt without an answer.
func sendError(ctx context.Context, u *url.URL, err error) error {
	var refused netguard.RefusedError
	e := &Error{Host: u.Host, Permanent: errors.As(err, &refused) || errors.Is(err, errRedirect)}
	var timeout net.Error
	switch {
	case ctx.Err() != nil:
		e.Err = context.Cause(ctx)
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Err = errTimeout
	case errors.As(err, &refused):
		e.Err = publicOnly(safeReason(err))
	default:
		e.Err = safeReason(err)
	}
	return e
}

// errMalformed is the error of an answer that is not HTTP.
var errMalformed = errors.New("the answer is malformed")

// safeReason returns the part of the client's error that may be shown. The whole error has
// the URL and text of the receiver, which may have sent back what it was sent. No text of
// the receiver is kept except that of its certificate, and of that only a limited part.
func safeReason(err error) error {
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var outer *url.Error
	switch {
	case errors.As(err, &network):
		return network
	case errors.As(err, &certificate):
		return fmt.Errorf("tls: %.200s", certificate.Err)
	case errors.As(err, &record):
		return errors.New("tls: it does not speak TLS")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the connection was closed without an answer")
	case errors.Is(err, errRedirect) && errors.As(err, &outer):
		return outer.Err
	}
	return errMalformed
}

// statusError says what an answer means: nil if the event was accepted, else an error to
// retry or a permanent one.
func statusError(u *url.URL, resp *http.Response) error {
	status := resp.StatusCode
	if status/100 == 2 {
		return nil
	}
	e := &Error{Host: u.Host, Status: status}
	switch {
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests:
		e.RetryAfter = retryAfter(resp.Header.Get("Retry-After"))
	default:
		e.Permanent = true
	}
	return e
}

// retryAfter reads a Retry-After header in seconds or as a date (RFC 9110 §10.2.3).
func retryAfter(v string) time.Duration {
	if s, err := strconv.ParseUint(v, 10, 31); err == nil {
		return time.Duration(s) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
