package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

const introspectText = `Find out what an agent offers, as a deployment does: wait for its card, fetch its
tools, check them by the rules of validate, and print them with their digest.
The digest changes when, and only when, the list does.`

const introspectExits = `0  the tools are good
1  they break the rules, or the server answered an error
2  the command line is wrong
4  no card came in time`

// retryAfter is the pause between two looks for a card.
const retryAfter = 100 * time.Millisecond

// introspectOptions are the flags of introspect.
type introspectOptions struct {
	target
	timeout  time.Duration
	reserved []string
}

func newIntrospect(std Std) *cobra.Command {
	o := &introspectOptions{target: target{std: std}}
	c := &cobra.Command{
		Use:         "introspect",
		Short:       "Wait for an agent, and check its tools",
		Long:        introspectText,
		Example:     "sidecar introspect --url http://agent:8999 --timeout 1m\nsidecar introspect -o json | jq -r .digest",
		Annotations: map[string]string{exitCodes: introspectExits},
		Args:        between(0, 0, ""),
	}
	o.addFlag(c)
	outputFlag(c, func(c *cobra.Command, _ []string, asJSON bool) error {
		if o.timeout <= 0 {
			return usagef(c.CommandPath(), "--timeout %s is not above zero", o.timeout)
		}
		var err error
		if _, o.reserved, err = config.Tools(o.reserved, std.Env); err != nil {
			return configError(c.CommandPath(), err)
		}
		return o.run(c.Context(), asJSON)
	})
	c.Flags().DurationVar(&o.timeout, "timeout", 30*time.Second, "`D` wait so long for the card (30s)")
	reservedFlag(c, &o.reserved)
	return c
}

// introspection is what was found. Its JSON is for deployments.
type introspection struct {
	URL    string          `json:"url"`
	Digest string          `json:"digest"`
	Valid  bool            `json:"valid"`
	Faults []finding       `json:"faults"`
	Card   json.RawMessage `json:"card"`
	Tools  json.RawMessage `json:"tools"`
}

func (o *introspectOptions) run(ctx context.Context, asJSON bool) error {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	client, base, err := o.client()
	if err != nil {
		return err
	}
	card, err := o.waitForCard(ctx, client)
	if err != nil {
		return o.failed(ctx, base, err)
	}
	if !json.Valid(card.Body) {
		return notASidecar(base, "no agent card")
	}
	doc, err := client.Tools(ctx)
	if err != nil {
		return o.failed(ctx, base, err)
	}
	found := introspection{URL: base, Digest: digest(doc.Body), Card: card.Body, Tools: doc.Body}
	_, _, err = manifest.Parse(base+"/a2a/tools", doc.Body, manifest.Options{Reserved: o.reserved})
	v := newVerdict(base, nil, nil, err)
	found.Valid, found.Faults = v.Valid, v.Faults
	if asJSON {
		err = json.NewEncoder(o.std.Out).Encode(found)
	} else {
		err = o.print(&found)
	}
	if err == nil && !found.Valid {
		return silent(exitFailed)
	}
	return err
}

func (o *introspectOptions) failed(ctx context.Context, base string, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return interrupted()
	}
	return clientError(base, err)
}

// waitForCard asks until a card comes or the time is over; it then returns the last
// error.
func (o *introspectOptions) waitForCard(ctx context.Context, client *client.Client) (*a2a.Document, error) {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	pause := time.NewTicker(retryAfter)
	defer pause.Stop()
	var last error
	for {
		card, err := client.Card(ctx)
		if err == nil {
			return card, nil
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("no card within %s: %w", o.timeout, last)
		}
	}
}

// digest returns an identifier of a tool list's content.
func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (o *introspectOptions) print(found *introspection) error {
	var card struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal(found.Card, &card); err != nil {
		return notASidecar(found.URL, "no agent card")
	}
	tools, err := readTools(found.Tools)
	if err != nil {
		return notASidecar(found.URL, "no list of tools")
	}
	fmt.Fprintf(o.std.Out, "agent   %s %s\n", printable(card.Name), printable(card.Version))
	fmt.Fprintf(o.std.Out, "url     %s\n", printable(found.URL))
	fmt.Fprintf(o.std.Out, "tools   %d\n", len(tools))
	fmt.Fprintf(o.std.Out, "digest  %s\n\n", found.Digest)
	for _, f := range found.Faults {
		fmt.Fprintln(o.std.Out, printable(f.text))
	}
	return printTools(o.std.Out, tools)
}
