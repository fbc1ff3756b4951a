package cli

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net/http"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// printCard shows the card as clients get it: it asks a server that has
// nothing else.
func (o *runOptions) printCard(c *config.Config) error {
	card, err := sidecar.Card(c, version(o.std))
	if err != nil {
		return &exitError{code: exitFault, err: err}
	}
	server := a2a.NewServer(a2a.ServerOptions{Handler: cardOnly{card: card}, PublicURL: c.PublicURL})
	req, err := http.NewRequest(http.MethodGet, "http://"+c.Address()+"/.well-known/agent-card.json", nil)
	if err != nil {
		return &exitError{code: exitFault, err: err}
	}
	if c.TLSCert != "" {
		req.TLS = &tls.ConnectionState{} // the card says https
	}
	var answer recorder
	server.ServeHTTP(&answer, req)
	_, err = fmt.Fprintf(o.std.Out, "%s\n", bytes.TrimSpace(answer.Bytes()))
	return err
}

// cardOnly is a Handler for requests that ask for the card.
type cardOnly struct {
	a2a.Handler
	card *a2a.Card
}

func (c cardOnly) Card() *a2a.Card { return c.card }

// recorder keeps the body of an answer.
type recorder struct {
	bytes.Buffer
	header http.Header
}

func (r *recorder) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}

func (r *recorder) WriteHeader(int) {}
