package server

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// maxCards limits the encoded cards that are kept: one for each address that clients use.
// Any Host header creates one.
const maxCards = 16

// cardCache keeps the encoded cards of the newest Card by address and dialect.
type cardCache struct {
	mu   sync.RWMutex
	card *a2a.Card
	docs map[cardKey]*a2a.Document
	// since is when card was first requested: it is known to be unchanged since then.
	since string
}

type cardKey struct {
	base string
	as   codec.Dialect
}

// get returns the document of card at base, and encodes it if it is new. If as is nil it is
// the public card, else the card of that dialect.
func (c *cardCache) get(card *a2a.Card, base string, as codec.Dialect) *a2a.Document {
	key := cardKey{base, as}
	c.mu.RLock()
	doc := c.docs[key]
	same := c.card == card
	c.mu.RUnlock()
	if same && doc != nil {
		return doc
	}
	doc = newDocument(encodeFor(card, base, as))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.card != card {
		c.since = time.Now().UTC().Format(http.TimeFormat)
	}
	if c.card != card || len(c.docs) >= maxCards {
		c.card, c.docs = card, make(map[cardKey]*a2a.Document)
	}
	doc.Modified = c.since
	c.docs[key] = doc
	return doc
}

func encodeFor(card *a2a.Card, base string, as codec.Dialect) []byte {
	if as == nil {
		return codec.EncodeCard(card, base)
	}
	return as.EncodeCard(card, base)
}

func newDocument(body []byte) *a2a.Document {
	sum := sha256.Sum256(body)
	return &a2a.Document{Body: body, ETag: `"sha256:` + hex.EncodeToString(sum[:]) + `"`}
}

// serveCard answers GET on the well-known paths (§8.2, §8.6.1).
func (x *exchange) serveCard() {
	x.seen.name = "AgentCard"
	x.document(x.s.cards.get(x.s.handler.Card(), x.s.base(x.r), nil))
}

// document sends doc, or 304 if the client has it. Caches may keep it but must revalidate
// it, so that a changed manifest is visible at once.
func (x *exchange) document(doc *a2a.Document) {
	h := x.w.Header()
	v := []string{doc.ETag, "public, max-age=0, must-revalidate"} // one allocation for both
	if x.identity.Caller != "" {
		v[1] = "private, max-age=0, must-revalidate" // not for shared caches
	}
	h["Etag"], h["Cache-Control"] = v[0:1:1], v[1:2:2]
	if doc.Modified != "" {
		h["Last-Modified"] = []string{doc.Modified}
	}
	if x.has(doc) {
		x.start(http.StatusNotModified)
		return
	}
	x.write(http.StatusOK, a2a.TypeJSON, doc.Body)
}

// has reports whether the client has doc. If the request names an ETag, only that counts
// (RFC 9110 §13.2.2).
func (x *exchange) has(doc *a2a.Document) bool {
	if match := x.r.Header["If-None-Match"]; match != nil {
		return etagMatches(match, doc.ETag)
	}
	since := x.r.Header.Get("If-Modified-Since")
	if since == "" || doc.Modified == "" {
		return false
	}
	had, err := http.ParseTime(since)
	modified, _ := http.ParseTime(doc.Modified)
	return err == nil && !modified.After(had)
}

// etagMatches is the weak comparison of If-None-Match (RFC 9110 §13.1.2).
func etagMatches(lines []string, etag string) bool {
	for _, line := range lines {
		for tag := range strings.SplitSeq(line, ",") {
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			if tag == etag || tag == "*" {
				return true
			}
		}
	}
	return false
}
