package a2a

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

	"github.com/a2a-sidecar/sidecar/internal/netguard"
)

// PushOptions configure a PushSender. Every field's zero value is usable.
type PushOptions struct {
	// Timeout bounds one attempt from the look-up of the name to the end of
	// the answer; 0: DefaultPushTimeout.
	Timeout time.Duration
	// Allow are addresses that may be sent to although they are private.
	Allow []netip.Prefix
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
	// UserAgent is sent along, "" for the name of this package.
	UserAgent string
}

// DefaultPushTimeout is the default of PushOptions.Timeout.
const DefaultPushTimeout = 10 * time.Second

const (
	// maxPushRedirects is how many redirects one attempt follows.
	maxPushRedirects = 3
	// maxPushHeader is the longest header of an answer.
	maxPushHeader = 64 << 10
	// maxPushAnswer is how much is read of an answer: nothing in it matters.
	maxPushAnswer = 64 << 10
	// pushIdle is how long a connection is kept for the next event.
	pushIdle = 15 * time.Second
)

// PushSender sends notifications to the receivers that clients name (§4.3.3,
// §13.2). It never connects to a private address, whatever a name resolves to
// and wherever a receiver redirects to, uses no proxy, and shows credentials to
// the host that they are for only. It is safe for concurrent use.
type PushSender struct {
	opts   PushOptions
	guard  netguard.Guard
	client *http.Client
}

// NewPushSender returns a sender. It starts nothing.
func NewPushSender(o PushOptions) *PushSender {
	o.Timeout = cmp.Or(o.Timeout, DefaultPushTimeout)
	o.UserAgent = cmp.Or(o.UserAgent, "a2a-sidecar")
	s := &PushSender{opts: o, guard: netguard.Guard{Allow: o.Allow}}
	// The transport goes on connecting when the request has been given up: what a
	// connection may take has its own limits.
	dialer := &net.Dialer{Timeout: o.Timeout, Resolver: o.Resolver, Control: s.guard.Control}
	s.client = &http.Client{
		CheckRedirect: checkPushRedirect,
		Transport: &http.Transport{ // a new one: the default one may have a proxy
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    o.Timeout,
			MaxIdleConns:           16,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        pushIdle,
			MaxResponseHeaderBytes: maxPushHeader,
			DisableCompression:     true,
		},
	}
	return s
}

// Check refuses a receiver that would never be connected to. Only what the URL
// itself says is looked at: a name is resolved when something is sent.
func (s *PushSender) Check(c *PushConfig) error {
	u, err := c.ParseURL()
	if err != nil {
		return err
	}
	if err := s.guard.CheckHost(u.Hostname()); err != nil {
		return ErrInvalidParams.With("push config: url: %w", publicOnly(err))
	}
	return nil
}

// publicOnly adds to the guard's error what the rule is.
func publicOnly(err error) error {
	return fmt.Errorf("%w: notifications go to public addresses only", err)
}

// Close closes the connections that are idle.
func (s *PushSender) Close() { s.client.CloseIdleConnections() }

// PushError is why a notification was not delivered. It names the receiver's
// host and never the rest of the URL, the token or the credentials.
type PushError struct {
	Host string
	// Status is what the receiver answered, 0 when there was no answer.
	Status int
	// RetryAfter is what the receiver asked for, 0 for nothing.
	RetryAfter time.Duration
	// Permanent says that another attempt would end in the same way.
	Permanent bool
	Err       error
}

func (e *PushError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("push to %s: %v", e.Host, e.Err)
	}
	return fmt.Sprintf("push to %s: answered %d %s", e.Host, e.Status, http.StatusText(e.Status))
}

func (e *PushError) Unwrap() error { return e.Err }

// Send makes one attempt to deliver an event, as c's version writes it: any
// event of 1.0, and of 0.3 a Task or a Message. The error is a *PushError; nil
// means that the receiver has taken it.
func (s *PushSender) Send(ctx context.Context, c *PushConfig, e *Event) error {
	u, err := c.ParseURL()
	if err != nil {
		return &PushError{Host: "?", Permanent: true, Err: err}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.opts.Timeout, errPushTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(EncodeEvent(e, c.Version)))
	if err != nil {
		return &PushError{Host: u.Host, Permanent: true, Err: err}
	}
	s.header(req.Header, c)
	resp, err := s.client.Do(req)
	if err != nil {
		return pushFailure(ctx, u, err)
	}
	defer resp.Body.Close()
	// An answer that is read to its end leaves a connection for the next event.
	_, _ = io.CopyN(io.Discard, resp.Body, maxPushAnswer)
	return pushAnswer(u, resp)
}

func (s *PushSender) header(h http.Header, c *PushConfig) {
	h.Set("Content-Type", TypeA2A)
	if c.Version == V03 {
		h.Set("Content-Type", TypeJSON)
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

var errPushTimeout = errors.New("no answer in time")

// errPushRedirect is why a redirect is not followed.
var errPushRedirect = errors.New("redirect refused")

// checkPushRedirect follows redirects that keep the body and stay where the
// credentials belong: on the host, and not from TLS to plain text.
func checkPushRedirect(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case len(via) > maxPushRedirects:
		return fmt.Errorf("%w: more than %d", errPushRedirect, maxPushRedirects)
	case req.Method != http.MethodPost:
		return fmt.Errorf("%w: it would lose the body (answer 307 or 308)", errPushRedirect)
	case req.URL.Host != first.Host || req.URL.User != nil:
		return fmt.Errorf("%w: it leaves the host", errPushRedirect)
	case req.URL.Scheme != first.Scheme:
		return fmt.Errorf("%w: it leaves %s", errPushRedirect, first.Scheme)
	}
	return nil
}

// pushFailure is an attempt without an answer.
func pushFailure(ctx context.Context, u *url.URL, err error) error {
	var refused netguard.RefusedError
	e := &PushError{Host: u.Host, Permanent: errors.As(err, &refused) || errors.Is(err, errPushRedirect)}
	var timeout net.Error
	switch {
	case ctx.Err() != nil:
		e.Err = context.Cause(ctx)
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Err = errPushTimeout
	case errors.As(err, &refused):
		e.Err = publicOnly(pushReason(err))
	default:
		e.Err = pushReason(err)
	}
	return e
}

// errPushAnswer is an answer that is no HTTP.
var errPushAnswer = errors.New("the answer is malformed")

// pushReason is the part of the client's error that may be shown. The whole of
// it has the URL, and words of the receiver's, which may have sent back what it
// was sent: of those nothing is kept but a certificate's, and of them so much.
func pushReason(err error) error {
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
	case errors.Is(err, errPushRedirect) && errors.As(err, &outer):
		return outer.Err
	}
	return errPushAnswer
}

// pushAnswer tells what an answer means: taken, try again, or never.
func pushAnswer(u *url.URL, resp *http.Response) error {
	status := resp.StatusCode
	if status/100 == 2 {
		return nil
	}
	e := &PushError{Host: u.Host, Status: status}
	switch {
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests:
		e.RetryAfter = retryAfter(resp.Header.Get("Retry-After"))
	default:
		e.Permanent = true
	}
	return e
}

// retryAfter reads seconds or a date (RFC 9110 §10.2.3).
func retryAfter(v string) time.Duration {
	if s, err := strconv.ParseUint(v, 10, 31); err == nil {
		return time.Duration(s) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
