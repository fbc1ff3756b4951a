package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/page"
)

// The limits of web_fetch.
const (
	// maxFetchedText is the longest answer that is read as text, in bytes after it was unpacked.
	maxFetchedText = page.MaxSource
	// maxFetchedFile is the largest PDF or image.
	maxFetchedFile = 10 << 20
	// maxFetchedError is how much of a page is told that comes with an error, in bytes.
	maxFetchedError = 1000
	// fetchTimeout is the time of one call: that of a fetch, and of making text of it.
	fetchTimeout = time.Minute
)

// webFetch fetches a page. hosts are patterns of hosts that it may reach in addition to the public ones.
func webFetch(hosts []string) *Tool {
	return define(manifest.Definition{
		Name: "web_fetch",
		Description: "Fetch a URL by GET. An HTML page is turned into Markdown (format text: its words alone; html: its source); other text and JSON come as they are; " +
			"a PDF or an image of at most 10 MiB comes as a file. Redirects are followed. Text beyond 200 KB goes to the file that the result names. " +
			"Public hosts only, ports 80 and 443; no login, no cookies, no JavaScript.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{
			"url":{"type":"string","pattern":"^[hH][tT][tT][pP][sS]?://.","maxLength":8192,"description":"the whole URL, with http:// or https://"},
			"format":{"type":"string","enum":["markdown","text","html"],"default":"markdown","description":"what becomes of an HTML page"}},
			"required":["url"],"additionalProperties":false}`),
		Effects: manifest.EffectsRead, Kind: "fetch", Timeout: fetchTimeout,
		Requires: &manifest.Requires{NetHosts: slices.Concat([]string{"*"}, hosts)}, Uses: manifest.Uses{NetFetch: []string{"/url"}},
	}, fetch)
}

func fetch(ctx context.Context, c *Call) (*Result, error) {
	var args struct{ URL, Format string }
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	if c.Net == nil {
		return nil, errors.New("there is no network for this call")
	}
	res, err := c.Net.Get(ctx, args.URL)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	f := &fetched{Response: res, asked: args.URL, format: args.Format}
	if err := f.read(); err != nil {
		return nil, err
	}
	return f.result(ctx, c.Out)
}

// fetched is an answer, and what it turned out to be.
type fetched struct {
	*Response
	asked  string // the URL that was asked for
	format string

	content []byte
	kind    string // the media type by what the content is: a file's, text/html, text/plain; "" for other bytes
}

// read reads the body as far as its limit. The error says that it is too long, or that it broke off.
func (f *fetched) read() error {
	head := make([]byte, text.Sniffed)
	n, err := io.ReadFull(f.Body, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	head = head[:n]
	f.kind = answerKind(head, f.MediaType, f.Charset)
	limit := int64(maxFetchedText)
	switch f.kind {
	case "":
		if f.Status < 400 {
			return fmt.Errorf("%s is %s, and only text, HTML, JSON, PDF and images can be fetched", text.Quote(f.URL, maxShownURL), f.what(head))
		}
	case htmlType, textType:
	default:
		limit = maxFetchedFile
	}
	if f.Status >= 400 {
		limit = maxErrorPage
	}
	rest, err := io.ReadAll(io.LimitReader(f.Body, limit+1-int64(n)))
	if err != nil {
		return err
	}
	f.content = append(head, rest...)
	switch {
	case f.Status >= 400:
		f.content = text.Cut(f.content, int(limit))
	case int64(len(f.content)) > limit:
		return fmt.Errorf("%s is larger than %s, which is the limit for %s", text.Quote(f.URL, maxShownURL), text.FormatSize(limit), f.kind)
	}
	return nil
}

const (
	// maxErrorPage is how much is read of a page that comes with an error, in bytes.
	maxErrorPage = 256 << 10
	// maxShownURL is how much of a URL an error shows, in bytes.
	maxShownURL = 300
)

// what names bytes that cannot be fetched: their type, and their size if it is little.
func (f *fetched) what(head []byte) string {
	rest, err := io.Copy(io.Discard, io.LimitReader(f.Body, maxFetchedFile))
	size := text.Count(len(head)+int(rest), "byte")
	if err != nil || rest == maxFetchedFile {
		size = "at least " + size
	}
	media := f.MediaType
	if media == "" {
		media = "of no declared type"
	}
	return fmt.Sprintf("%s that is no text (%s)", text.Line(media, 100), size)
}

// result writes what the answer says, or returns it as a file.
func (f *fetched) result(ctx context.Context, out io.Writer) (*Result, error) {
	if f.Status >= 400 {
		return nil, f.refusal(ctx)
	}
	if f.kind != htmlType && f.kind != textType {
		name := fileName(f.URL, f.kind)
		_, err := fmt.Fprintf(out, "%s%s, %s, is the file %s of this result.", f.top(""), f.kind, text.Count(len(f.content), "byte"), name)
		return &Result{Files: []File{{Name: name, MediaType: f.kind, Content: f.content}}}, err
	}
	title, words, err := f.words(ctx, f.format)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(words) == "" {
		words = fmt.Sprintf("[The answer (%d) has no text. A page that is made by JavaScript has none: look for its data, or for another page.]", f.Status)
	}
	_, err = io.WriteString(out, f.top(title)+words)
	return nil, err
}

// words returns the text of the answer, and its title. If ctx ends, the error is its cause.
func (f *fetched) words(ctx context.Context, format string) (title, words string, err error) {
	source, err := page.Decode(f.content, f.Charset, f.kind == htmlType)
	if err != nil {
		return "", "", fmt.Errorf("%s cannot be read: %w", text.Quote(f.URL, maxShownURL), err)
	}
	if f.kind != htmlType || format == "html" {
		return "", source, nil
	}
	base, _ := url.Parse(f.URL) // it was requested
	p, err := page.Read(ctx, source, base)
	switch {
	case err != nil:
	case format == "text":
		words, err = p.Text(ctx)
	default:
		words, err = p.Markdown(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return "", "", context.Cause(ctx)
	case err != nil:
		return "", "", fmt.Errorf("no Markdown can be made of %s: %w; format text or html may do", text.Quote(f.URL, maxShownURL), err)
	}
	if p.Cut {
		words += "\n\n[The page has more than is read here. format html gives its source.]"
	}
	return p.Title, words, nil
}

// top says where the answer comes from, if that is not what was asked for.
func (f *fetched) top(title string) string {
	if f.URL == f.asked || f.URL == f.asked+"/" {
		return ""
	}
	top := "URL: " + text.Line(f.URL, page.MaxSource) + "\n"
	if title != "" {
		top += "Title: " + title + "\n"
	}
	return top + "\n"
}

// refusal is the error of a status of 400 or more, with the beginning of what comes with it.
func (f *fetched) refusal(ctx context.Context) error {
	says := fmt.Sprintf("%s answered %d", text.Quote(f.URL, maxShownURL), f.Status)
	if f.kind != htmlType && f.kind != textType {
		return errors.New(says)
	}
	_, words, err := f.words(ctx, "text")
	if words = text.Line(strings.Join(strings.Fields(words), " "), maxFetchedError); err != nil || words == "" {
		return errors.New(says)
	}
	return errors.New(says + ": " + words)
}
