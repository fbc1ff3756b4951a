package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

const emitArtifactText = `Add an artifact to the task: a file, stdin (-), a text, JSON or an address. Text
of any length is sent on as it comes; other files may be as large as one frame of
the channel allows. Leave larger ones in $SIDECAR_OUTBOX.`

const emitArtifactExamples = `sidecar emit artifact report.pdf
make 2>&1 | sidecar emit artifact --id log --name build.log -
sidecar emit artifact --id log --append --text 'and one line more'
sidecar emit artifact --name result --data '{"passed":12}'
sidecar emit artifact --file plan.json --filename plan.json --metadata '{"v":1}' --extension https://example.com/plan/v1`

// artifactOptions are the flags of emit artifact.
type artifactOptions struct {
	std       Std
	id        string
	name      string
	about     string // the artifact's description
	mediaType string
	filename  string
	partAbout string // the part's metadata as it was given
	appendTo  bool
	last      bool
	text      string
	data      string
	url       string
	file      string
	extra     extraFlags

	// The results of check.
	metadata   a2a.Metadata
	extensions []string
	part       a2a.Part // without its content
}

func newEmitArtifact(std Std) *cobra.Command {
	o := &artifactOptions{std: std}
	c := &cobra.Command{
		Use:     "artifact [flags] FILE|-|--file FILE|--text T|--data JSON|--url URL",
		Short:   "Add an artifact, or to one",
		Long:    emitArtifactText,
		Example: emitArtifactExamples,
		Args:    between(0, 1, ""),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("file") {
				args = append(args, o.file)
			}
			if err := o.check(c, args); err != nil {
				return err
			}
			return withChannel(c.Context(), std, func(client *channel.Client) error {
				return o.run(c.Context(), newArtifactWriter(client, o), args)
			})
		},
		DisableFlagsInUseLine: true,
	}
	f := c.Flags()
	f.StringVar(&o.id, "id", "", "`ID` of the artifact, to add to it later")
	f.StringVar(&o.name, "name", "", "`NAME` of the artifact (the file's)")
	f.StringVar(&o.about, "description", "", "`TEXT` that describes the artifact")
	f.StringVar(&o.mediaType, "media-type", "", "`TYPE` such as text/markdown (by the file's name or content)")
	f.StringVar(&o.filename, "filename", "", "`NAME` of the content as a file (the file's, unless it is text)")
	f.StringVar(&o.partAbout, "part-metadata", "", "`JSON` object, the metadata of the content's part")
	f.BoolVar(&o.appendTo, "append", false, "add to the artifact of that --id")
	f.BoolVar(&o.last, "last", false, "nothing will be added to it any more")
	f.StringVar(&o.text, "text", "", "`T` the content, as text")
	f.StringVar(&o.data, "data", "", "`JSON` the content, as data")
	f.StringVar(&o.url, "url", "", "`URL` where the content is; it is not fetched")
	f.StringVar(&o.file, "file", "", "`FILE` with the content, - for stdin")
	o.extra.add(c, "the artifact")
	return c
}

// check requires exactly one content.
func (o *artifactOptions) check(c *cobra.Command, args []string) (err error) {
	contents := len(args)
	for _, name := range []string{"text", "data", "url"} {
		if c.Flags().Changed(name) {
			contents++
		}
	}
	switch {
	case contents == 0:
		return usagef(c.CommandPath(), "the content is missing: a FILE, - for stdin, --text, --data or --url")
	case contents > 1:
		return usagef(c.CommandPath(), "one content only: a FILE, - for stdin, --text, --data or --url")
	case o.appendTo && o.id == "":
		return usagef(c.CommandPath(), "--append needs the --id of the artifact")
	case c.Flags().Changed("data") && !json.Valid([]byte(o.data)):
		return usagef(c.CommandPath(), "--data is not JSON; --text sends it as text")
	case c.Flags().Changed("url") && !absolute(o.url):
		return usagef(c.CommandPath(), "--url %q is not an absolute address", o.url)
	}
	if o.metadata, o.extensions, err = o.extra.read(c); err != nil {
		return err
	}
	o.part = a2a.Part{MediaType: o.mediaType, Filename: o.filename}
	o.part.Metadata, err = metadataFlag(c, "part-metadata", o.partAbout)
	return err
}

func absolute(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != ""
}

func (o *artifactOptions) run(ctx context.Context, w *artifactWriter, args []string) error {
	p := o.part
	switch {
	case o.data != "":
		p.Kind, p.Data = a2a.PartData, json.RawMessage(o.data)
		return w.last(ctx, p)
	case o.url != "":
		p.Kind, p.URL = a2a.PartURL, o.url
		return w.last(ctx, p)
	case len(args) == 0:
		return o.stream(ctx, w, strings.NewReader(o.text), "")
	case args[0] == "-":
		return o.stream(ctx, w, o.std.In, "")
	}
	in, err := os.Open(args[0])
	if err != nil {
		return &exitError{code: exitFault, err: err}
	}
	defer in.Close()
	return o.stream(ctx, w, in, filepath.Base(args[0]))
}

// stream sends what it reads: text piece by piece, anything else as one file.
func (o *artifactOptions) stream(ctx context.Context, w *artifactWriter, in io.Reader, file string) error {
	if w.name == "" {
		w.name = file
	}
	r := newTextReader(in)
	if !isText(r.peek(), o.mediaType) {
		raw, err := r.rest(maxRaw)
		if err != nil {
			return &exitError{code: exitFailed, err: err, hint: "leave large files in $SIDECAR_OUTBOX: they become artifacts when the turn ends"}
		}
		p := o.part
		p.Kind, p.Raw, p.MediaType = a2a.PartRaw, raw, mediaType(o.mediaType, cmp.Or(o.filename, file))
		p.Filename = cmp.Or(o.filename, file)
		return w.last(ctx, p)
	}
	p := o.part
	p.Kind, p.MediaType = a2a.PartText, mediaType(o.mediaType, cmp.Or(o.filename, file))
	for {
		text, err := r.next()
		if text != "" || errors.Is(err, io.EOF) && !w.begun {
			p.Text = text
			if err := w.write(ctx, p); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return w.flush(ctx, true)
		}
		if err != nil {
			return &exitError{code: exitFault, err: err}
		}
	}
}

// mediaType returns what was given, otherwise what the file's name says, otherwise
// "".
func mediaType(said, file string) string {
	if said != "" {
		return said
	}
	kind, _, _ := strings.Cut(mime.TypeByExtension(filepath.Ext(file)), ";")
	return kind
}

// artifactWriter sends the pieces of one artifact: the first as the command line
// says, all others appended to it.
type artifactWriter struct {
	client *channel.Client
	id     string
	name   string
	head   a2a.Artifact // what the first piece says of the whole artifact
	adds   bool         // the next piece is appended
	ends   bool         // nothing follows the last piece
	begun  bool
	held   *a2a.Part // kept back until we know whether it is the last
}

func newArtifactWriter(client *channel.Client, o *artifactOptions) *artifactWriter {
	w := &artifactWriter{
		client: client, id: o.id, name: o.name, adds: o.appendTo, ends: o.last,
		head: a2a.Artifact{Description: o.about, Metadata: o.metadata, Extensions: o.extensions},
	}
	if w.id == "" {
		w.id = a2a.NewID()
	}
	return w
}

// last sends the only piece.
func (w *artifactWriter) last(ctx context.Context, p a2a.Part) error {
	return w.send(ctx, p, true)
}

// write sends a piece. With --last it keeps one piece back, because the last piece
// must then be known.
func (w *artifactWriter) write(ctx context.Context, p a2a.Part) error {
	w.begun = true
	if !w.ends {
		return w.send(ctx, p, false)
	}
	if err := w.flush(ctx, false); err != nil {
		return err
	}
	w.held = &p
	return nil
}

// flush sends the piece that was kept back.
func (w *artifactWriter) flush(ctx context.Context, last bool) error {
	if w.held == nil {
		return nil
	}
	p := *w.held
	w.held = nil
	return w.send(ctx, p, last)
}

func (w *artifactWriter) send(ctx context.Context, p a2a.Part, last bool) error {
	u := a2a.ArtifactUpdate{Artifact: w.head, Append: w.adds, LastChunk: w.ends && last}
	u.Artifact.ID, u.Artifact.Name, u.Artifact.Parts = w.id, w.name, []a2a.Part{p}
	w.head, w.adds = a2a.Artifact{}, true
	if err := w.client.Artifact(ctx, u); err != nil {
		return channelError(fmt.Errorf("artifact %s: %w", w.id, err))
	}
	return nil
}
