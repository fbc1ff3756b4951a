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
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

const introspectText = `Find out what an agent offers, as a deployment does: wait for its card, fetch its
tools, check them by the rules of validate, and print them with their digest.
The digest changes when, and only when, the list does.

With the digest of the agent's image the answer is kept, and given again for the same
image without asking the agent: another image has another digest.`

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
	image    string
	cacheDir string
	refresh  bool
}

func newIntrospect(std Std) *cobra.Command {
	o := &introspectOptions{target: target{std: std}}
	c := &cobra.Command{
		Use:         "introspect",
		Short:       "Wait for an agent, and check its tools",
		Long:        introspectText,
		Example:     "sidecar introspect --url http://agent:8999 --timeout 1m\nsidecar introspect -o json | jq -r .digest\nsidecar introspect --image-digest sha256:9f86d081…",
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
		cache, err := o.cache(c)
		if err != nil {
			return err
		}
		return o.run(c.Context(), cache, asJSON)
	})
	f := c.Flags()
	f.StringVar(&o.image, "image-digest", "", "`DIGEST` of the agent's image ($SPRING_IMAGE_DIGEST)")
	f.StringVar(&o.cacheDir, "cache", "", "`DIR` keep what images offer here (a2a-sidecar/introspect in XDG_CACHE_HOME)")
	f.BoolVar(&o.refresh, "refresh", false, "ask the agent, whatever is known of its image")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "`D` wait so long for the card (30s)")
	reservedFlag(c, &o.reserved)
	return c
}

// cache returns where the answer is kept.
func (o *introspectOptions) cache(c *cobra.Command) (introspectionCache, error) {
	image, dir := o.image, o.cacheDir
	if !c.Flags().Changed("image-digest") {
		image = o.std.Getenv("SPRING_IMAGE_DIGEST")
	}
	if image != "" || c.Flags().Changed("image-digest") {
		if _, err := config.ImageDigest(image); err != nil {
			return introspectionCache{}, usagef(c.CommandPath(), "--image-digest: %w", err)
		}
	}
	if dir == "" {
		dir = defaultCacheDir(o.std)
	}
	return introspectionCache{dir: dir, digest: image}, nil
}

// introspection is what was found. Its JSON is for deployments.
type introspection struct {
	URL    string          `json:"url"`
	Digest string          `json:"digest"`
	Valid  bool            `json:"valid"`
	Faults []finding       `json:"faults"`
	Card   json.RawMessage `json:"card"`
	Tools  json.RawMessage `json:"tools"`
	// Provenance is what the tools are known by in an effective set: image, or image:DIGEST.
	Provenance string `json:"provenance"`
	// Cached: the agent was not asked.
	Cached bool `json:"cached"`
}

func (o *introspectOptions) run(ctx context.Context, cache introspectionCache, asJSON bool) error {
	known, cached, err := o.find(ctx, cache)
	if err != nil {
		return err
	}
	found := introspection{URL: known.URL, Provenance: surface.ProvenanceImage, Cached: cached, Digest: known.Digest, Card: known.Card, Tools: known.Tools}
	if known.Image != "" {
		found.Provenance += ":" + known.Image
	}
	_, _, err = manifest.Parse(known.URL+"/a2a/tools", known.Tools, manifest.Options{Reserved: o.reserved})
	v := newVerdict(known.URL, nil, nil, err)
	found.Valid, found.Faults = v.Valid, v.Faults
	if found.Valid && !cached {
		if err := cache.put(known); err != nil {
			o.unkept(err)
		}
	}
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

// unkept says that an answer was not kept, which is no reason not to give it.
func (o *introspectOptions) unkept(err error) {
	fmt.Fprintf(o.std.Err, "sidecar: the cache: %s\n", printable(err.Error()))
}

// find returns what is known of the image, or else what the agent answers.
func (o *introspectOptions) find(ctx context.Context, cache introspectionCache) (known *cachedIntrospection, cached bool, err error) {
	if !o.refresh {
		known, err := cache.get()
		if err != nil {
			o.unkept(err)
		}
		if known != nil {
			return known, true, nil
		}
	}
	known, err = o.ask(ctx)
	if err == nil {
		known.Image = cache.digest
	}
	return known, false, err
}

// ask waits for the agent and returns what it answers.
func (o *introspectOptions) ask(ctx context.Context) (*cachedIntrospection, error) {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	client, base, err := o.client()
	if err != nil {
		return nil, err
	}
	card, err := o.waitForCard(ctx, client)
	if err != nil {
		return nil, o.failed(ctx, base, err)
	}
	if !json.Valid(card.Body) {
		return nil, notASidecar(base, "no agent card")
	}
	doc, err := client.Tools(ctx)
	if err != nil {
		return nil, o.failed(ctx, base, err)
	}
	return &cachedIntrospection{URL: base, Digest: digest(doc.Body), Card: card.Body, Tools: doc.Body}, nil
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
	fmt.Fprintf(o.std.Out, "digest  %s\n", found.Digest)
	if found.Provenance != surface.ProvenanceImage {
		fmt.Fprintf(o.std.Out, "source  %s%s\n", found.Provenance, cachedNote(found.Cached))
	}
	fmt.Fprintln(o.std.Out)
	for _, f := range found.Faults {
		fmt.Fprintln(o.std.Out, printable(f.text))
	}
	return printTools(o.std.Out, tools, "no tools")
}

func cachedNote(cached bool) string {
	if cached {
		return ", known already; --refresh asks the agent"
	}
	return ""
}
