package cli

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar"
)

const cardText = `Print the agent card as run would serve it to clients. It takes the flags of run,
and a command, and starts nothing; --public-url says where clients find it.`

const cardExamples = `sidecar card --card card.json -- claude
sidecar card --public-url https://agent.example.com -- claude`

func newCard(o *runOptions, settings *pflag.FlagSet) *cobra.Command {
	c := &cobra.Command{
		Use:         "card [flags of run] [--] [COMMAND [ARG...]]",
		Short:       "Print the agent card",
		Long:        cardText,
		Example:     cardExamples,
		Annotations: map[string]string{noSettings: ""},
		RunE:        func(_ *cobra.Command, args []string) error { return o.printCard(args) },

		DisableFlagsInUseLine: true,
	}
	addSettings(c, settings)
	return c
}

// printCard shows the card as clients get it: it asks a server that serves nothing
// else.
func (o *runOptions) printCard(args []string) error {
	loaded, err := o.load(args)
	if err != nil {
		return runError("card", err)
	}
	c := &loaded.Config
	card, err := sidecar.Card(c, version(o.std))
	if err != nil {
		return &exitError{code: exitFault, err: err}
	}
	server := server.New(server.Options{Handler: cardOnly{card: card}, PublicURL: c.PublicURL})
	req, err := http.NewRequest(http.MethodGet, "http://"+c.Address()+"/.well-known/agent-card.json", nil)
	if err != nil {
		return &exitError{code: exitFault, err: err}
	}
	if c.TLSCert != "" {
		req.TLS = &tls.ConnectionState{} // so that the card says https
	}
	var answer recorder
	server.ServeHTTP(&answer, req)
	_, err = fmt.Fprintf(o.std.Out, "%s\n", bytes.TrimSpace(answer.Bytes()))
	return err
}

// cardOnly is a Handler for requests that ask for the card.
type cardOnly struct {
	server.Handler
	card *a2a.Card
}

func (c cardOnly) Card() *a2a.Card { return c.card }

// recorder keeps the body of a response.
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
