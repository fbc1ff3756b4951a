package subagent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
)

// Conn is how an agent is spoken to.
type Conn interface {
	Stream(ctx context.Context, r *a2a.SendRequest) (a2a.Stream, error)
	Subscribe(ctx context.Context, r *a2a.SubscribeRequest) (a2a.Stream, error)
	Get(ctx context.Context, r *a2a.GetRequest) (*a2a.Task, error)
	Cancel(ctx context.Context, r *a2a.CancelRequest) (*a2a.Task, error)
}

var _ Conn = (*client.Client)(nil)

const (
	// cardLimit is how long the card may take, and maxCard how long it may be.
	cardLimit = 15 * time.Second
	maxCard   = 1 << 20
	// maxToken is how long a file with a token may be in bytes.
	maxToken = 64 << 10
	// maxFrame is how long an answer, or one event of a stream, may be in bytes.
	maxFrame = 16 << 20
)

// errRedirect refuses a redirect: the token would go to whom nobody has named.
var errRedirect = errors.New("it redirects, which is not followed: name the address itself in the file of agents")

// newHTTP returns the client for all agents.
func newHTTP() *http.Client {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: cardLimit, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 2}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect }}
}

// card is what is known of an agent's card.
type card struct {
	knows bool   // the extension
	path  string // of its JSON-RPC interface, below the agent's address
}

// connect returns how an agent is spoken to, and whether it knows the extension. The error is for the model.
func (d *Desk) connect(ctx context.Context, a *Agent) (c Conn, knows bool, err error) {
	if a.Process {
		if d.opts.Local == nil {
			return nil, false, fmt.Errorf("the agent %s is a process of the wrapped command, which cannot be had here", a.Name)
		}
		return d.opts.Local, true, nil
	}
	header := http.Header{}
	if a.TokenFile != "" {
		token, err := readToken(a.TokenFile)
		if err != nil {
			return nil, false, fmt.Errorf("the agent %s cannot be reached: its token file cannot be read", a.Name)
		}
		header.Set("Authorization", "Bearer "+token)
	}
	known, err := d.cardOf(ctx, a, header)
	if err != nil {
		return nil, false, fmt.Errorf("the agent %s cannot be used: %w", a.Name, err)
	}
	one := client.New(a.URL, d.http)
	one.Header, one.MaxFrame, one.Path = header, maxFrame, known.path
	return one, known.knows, nil
}

// cardOf returns an agent's card. It is fetched once for each content of the file and, if it is pinned, for each piece of work: one that
// has changed since is refused.
func (d *Desk) cardOf(ctx context.Context, a *Agent, header http.Header) (card, error) {
	d.mu.Lock()
	known, ok := d.cards[a]
	d.mu.Unlock()
	if ok && a.CardSHA256 == "" {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, cardLimit)
	defer cancel()
	one := client.New(a.URL, d.http)
	one.Header, one.MaxFrame = header, maxCard
	doc, err := one.Card(ctx)
	if err != nil {
		return card{}, fmt.Errorf("its card cannot be had: %s", text.Line(err.Error(), maxWords))
	}
	sum := sha256.Sum256(doc.Body)
	if got := hex.EncodeToString(sum[:]); a.CardSHA256 != "" && !strings.EqualFold(got, a.CardSHA256) {
		return card{}, fmt.Errorf("its card is another one than the operator has seen: %s pins the SHA-256 digest %s for it, and it has %s now; "+
			"if the operator trusts the new card, its digest goes there (curl -s %s | sha256sum)", d.opts.File, strings.ToLower(a.CardSHA256), got, strings.TrimRight(a.URL, "/")+client.CardPath)
	}
	known, err = readCard(a, doc.Body)
	if err != nil {
		return card{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.cards) >= MaxAgents {
		clear(d.cards) // those of files that are no more
	}
	d.cards[a] = known
	return known, nil
}

// readCard reads what counts of a card.
func readCard(a *Agent, body []byte) (card, error) {
	var doc struct {
		Capabilities struct {
			Streaming  bool
			Extensions []struct{ URI string }
		}
		SupportedInterfaces []struct{ URL, ProtocolBinding, ProtocolVersion string }
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return card{}, errors.New("its card is no JSON of a card")
	}
	if !doc.Capabilities.Streaming {
		return card{}, errors.New("its card does not say that it streams, which is needed to follow it")
	}
	c := card{path: "/"}
	for _, e := range doc.Capabilities.Extensions {
		c.knows = c.knows || e.URI == delegation.URI
	}
	speaks := false
	for _, i := range doc.SupportedInterfaces {
		if !strings.EqualFold(i.ProtocolBinding, "JSONRPC") || !strings.HasPrefix(i.ProtocolVersion, "1.") {
			continue
		}
		speaks = true
		if path, ok := below(a.URL, i.URL); ok {
			c.path = path
			break
		}
	}
	if !speaks {
		return card{}, errors.New("its card has no interface of A2A 1.0 by JSON-RPC")
	}
	return c, nil
}

// below returns the path of an address below another one, if it is there.
func below(base, address string) (path string, ok bool) {
	b, err1 := url.Parse(strings.TrimRight(base, "/"))
	u, err2 := url.Parse(address)
	if err1 != nil || err2 != nil || u.Scheme != b.Scheme || u.Host != b.Host || u.RawQuery != "" {
		return "", false
	}
	rest, ok := strings.CutPrefix(u.Path, b.Path)
	if rest == "" {
		return "/", ok
	}
	return rest, ok && rest[0] == '/' && !slices.Contains(strings.Split(rest, "/"), "..")
}

// readToken reads a token as it is now.
func readToken(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	token := strings.TrimSpace(string(b))
	if err == nil && (len(b) > maxToken || token == "" || !text.VisibleASCII(token)) {
		err = errors.New("it holds no token")
	}
	return token, err
}
