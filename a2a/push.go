package a2a

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// PushConfig says where a task's events are sent (§4.3.1).
type PushConfig struct {
	ID     string
	TaskID string
	URL    string
	// Token is sent with each notification, so that the receiver can recognize the sender.
	// "" means none.
	Token string
	// Scheme and Credentials make up the Authorization header. "" means none.
	Scheme      string
	Credentials string
	// Version is the dialect in which the config was created; notifications are written in
	// the same one. "" means 1.0.
	Version Version
	// TraceParent is the traceparent of the request that created the config. It is sent
	// with each notification. "" means none.
	TraceParent string
}

// CreatePushRequest is CreateTaskPushNotificationConfig (§3.1.7).
type CreatePushRequest struct {
	Params
	// Config has been checked, and its TaskID, Version and TraceParent are set. If its ID
	// is empty, the handler makes one. It replaces a config of the same task that has the
	// same ID.
	Config PushConfig
}

// PushRequest is GetTaskPushNotificationConfig (§3.1.8) and its Delete
// (§3.1.10).
type PushRequest struct {
	Params
	TaskID string
	// ID is the ID of the config. It may be empty in a Get of 0.3: then it means the task's
	// only config, or the one that was created without an ID.
	ID string
}

// ListPushRequest is ListTaskPushNotificationConfigs (§3.1.9). The server divides the
// result into pages.
type ListPushRequest struct {
	Params
	TaskID string
}

// The limits of a config's fields, in bytes.
const (
	maxPushID          = 128
	maxPushURL         = 2 << 10
	maxPushToken       = 4 << 10
	maxPushCredentials = 8 << 10
)

// Check returns an error if nothing could ever be sent to c, so that no task is started for
// it. It does not resolve names: the address is checked when it is dialed.
func (c *PushConfig) Check() error {
	if c.URL == "" {
		return ErrInvalidParams.With(`push config: url is missing: send {"url":"https://…"}`)
	}
	if _, err := c.ParseURL(); err != nil {
		return err
	}
	switch {
	case len(c.ID) > maxPushID || !text.Visible(c.ID):
		return ErrInvalidParams.With("push config: id must be at most %d bytes of printable text", maxPushID)
	case len(c.Token) > maxPushToken || !headerSafe(c.Token):
		return ErrInvalidParams.With("push config: token must be at most %d bytes of printable ASCII: it becomes a header", maxPushToken)
	case len(c.Credentials) > maxPushCredentials || !headerSafe(c.Credentials):
		return ErrInvalidParams.With("push config: authentication.credentials must be at most %d bytes of printable ASCII: they become a header", maxPushCredentials)
	case c.Scheme == "" && c.Credentials != "":
		return ErrInvalidParams.With(`push config: authentication.scheme is missing: send {"scheme":"Bearer","credentials":"…"} (0.3: schemes, a list)`)
	case len(c.Scheme) > 64 || !headerToken(c.Scheme):
		return ErrInvalidParams.With(`push config: authentication.scheme must be an HTTP authentication scheme such as "Bearer"`)
	}
	return nil
}

// ParseURL parses and checks the URL of the receiver. Its error is an ErrInvalidParams.
func (c *PushConfig) ParseURL() (*url.URL, error) {
	text := c.URL
	if len(text) > maxPushURL {
		return nil, ErrInvalidParams.With("push config: url is longer than %d bytes", maxPushURL)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || !headerSafe(text) || strings.Contains(text, " "):
		return nil, ErrInvalidParams.With("push config: url is malformed: send an absolute one in ASCII such as https://example.com/hook")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, ErrInvalidParams.With("push config: url must begin with https:// or http://")
	case u.Hostname() == "":
		return nil, ErrInvalidParams.With("push config: url names no host")
	case !validPort(u.Port()):
		return nil, ErrInvalidParams.With("push config: url: the port must be between 1 and 65535")
	case u.User != nil:
		return nil, ErrInvalidParams.With("push config: url must not hold a user or password: use authentication")
	}
	return u, nil
}

// validPort reports whether port is a valid port number or "", which means the scheme's
// default.
func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// headerSafe reports whether s may be the value of a header.
func headerSafe(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// headerToken reports whether s is a token of HTTP (RFC 9110 §5.6.2), or empty.
func headerToken(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}
