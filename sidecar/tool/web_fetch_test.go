package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// pages is a network that has answers by their URLs.
type pages map[string]tool.Response

func (p pages) Get(ctx context.Context, url string) (*tool.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r, ok := p[url]
	if !ok {
		return nil, errors.New("the request to " + url + ": no such host")
	}
	if r.URL == "" {
		r.URL = url
	}
	if r.Status == 0 {
		r.Status = 200
	}
	return &r, nil
}

func body(parts ...any) io.ReadCloser {
	var all []io.Reader
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			all = append(all, strings.NewReader(p))
		case io.Reader:
			all = append(all, p)
		}
	}
	return io.NopCloser(io.MultiReader(all...))
}

// breaks is a body that breaks off.
type breaks struct{}

func (breaks) Read([]byte) (int, error) {
	return 0, errors.New("the answer of a.example broke off: EOF")
}

// endless is a body without an end.
type endless struct {
	of string
	at int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.of[e.at%len(e.of)]
		e.at++
	}
	return len(p), nil
}

func one(t *testing.T, id string) *tool.Tool {
	t.Helper()
	set, err := tool.NewSet([]string{id})
	if err != nil {
		t.Fatal(err)
	}
	return set.Lookup(tool.Prefix + id)
}

func TestWebFetch(t *testing.T) {
	html, png := "text/html", "\x89PNG\r\n\x1a\n"+strings.Repeat("\x00", 92)
	for name, c := range map[string]struct {
		res    tool.Response
		format string
		want   string // the text, or "error: " and the error
		file   string // name, type and size
	}{
		"markdown":                {tool.Response{MediaType: html, Body: body("<title>T</title><h1>Hi</h1><a href=/x>y</a>")}, "", "# Hi\n\n[y](https://a.example/x)", ""},
		"text":                    {tool.Response{MediaType: html, Body: body("<h1>Hi</h1><a href=/x>y</a>")}, "text", "Hi\n\ny", ""},
		"html":                    {tool.Response{MediaType: html, Charset: "latin1", Body: body("<h1>gr\xfcn</h1>\r\n")}, "html", "<h1>grün</h1>\r\n", ""},
		"xhtml":                   {tool.Response{MediaType: "application/xhtml+xml", Body: body("<b>x</b>")}, "", "**x**", ""},
		"redirected":              {tool.Response{URL: "https://b.example/new", MediaType: html, Body: body("<title>New\nhome</title>hello")}, "", "URL: https://b.example/new\nTitle: New home\n\nhello", ""},
		"redirected, no title":    {tool.Response{URL: "https://b.example/new", MediaType: "text/plain", Body: body("hello")}, "", "URL: https://b.example/new\n\nhello", ""},
		"plain text":              {tool.Response{MediaType: "text/plain", Body: body("a <b>c</b>\r\n")}, "", "a <b>c</b>\r\n", ""},
		"json":                    {tool.Response{MediaType: "application/json", Body: body(`{"a": 1}`)}, "", `{"a": 1}`, ""},
		"markdown already":        {tool.Response{MediaType: "text/markdown", Body: body("# Hi <x>")}, "", "# Hi <x>", ""},
		"no type, a page":         {tool.Response{Body: body("\n<!DOCTYPE HTML><p>x")}, "", "x", ""},
		"no type, text":           {tool.Response{Body: body("a <p>x")}, "", "a <p>x", ""},
		"no charset":              {tool.Response{MediaType: html, Body: body("gr\xfcn \x80")}, "", "grün €", ""},
		"unknown charset":         {tool.Response{MediaType: html, Charset: "koi8-r", Body: body("\xc1\xc2")}, "", `error: "https://a.example/p" cannot be read: its charset "koi8-r" is not known here: UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 and windows-1252 are`, ""},
		"utf-16":                  {tool.Response{MediaType: "text/plain", Charset: "utf-16le", Body: body("h\x00i\x00")}, "", "hi", ""},
		"empty":                   {tool.Response{Status: 204, Body: body("")}, "", "[The answer (204) has no text. A page that is made by JavaScript has none: look for its data, or for another page.]", ""},
		"JavaScript alone":        {tool.Response{MediaType: html, Body: body("<div id=app></div><script>x</script>")}, "", "[The answer (200) has no text. A page that is made by JavaScript has none: look for its data, or for another page.]", ""},
		"png":                     {tool.Response{MediaType: "image/png", Body: body(png)}, "", "image/png, 100 bytes, is the file file.png of this result.", "file.png image/png 100"},
		"pdf of a wrong type":     {tool.Response{MediaType: html, URL: "https://a.example/doc/a%0ab.pdf", Body: body("%PDF-1.7\n\x00")}, "", "URL: https://a.example/doc/a%0ab.pdf\n\napplication/pdf, 10 bytes, is the file a_b.pdf of this result.", "a_b.pdf application/pdf 10"},
		"a page that is no image": {tool.Response{MediaType: "image/png", Body: body("log in first")}, "", "log in first", ""},
		"svg":                     {tool.Response{MediaType: "image/svg+xml", Body: body("<svg/>")}, "", "<svg/>", ""},
		"binary":                  {tool.Response{MediaType: "application/zip", Body: body("PK\x03\x04\x00\x00")}, "", `error: "https://a.example/p" is application/zip that is no text (6 bytes), and only text, HTML, JSON, PDF and images can be fetched`, ""},
		"binary that says text":   {tool.Response{MediaType: html, Body: body("\x7fELF\x00", &endless{of: "\x00"})}, "", `error: "https://a.example/p" is text/html that is no text (at least 10493952 bytes), and only text, HTML, JSON, PDF and images can be fetched`, ""},
		"endless":                 {tool.Response{MediaType: "text/plain", Body: body(&endless{of: "ab "})}, "", `error: "https://a.example/p" is larger than 5MiB, which is the limit for text/plain`, ""},
		"endless pdf":             {tool.Response{MediaType: "application/pdf", Body: body("%PDF-", &endless{of: "\x00"})}, "", `error: "https://a.example/p" is larger than 10MiB, which is the limit for application/pdf`, ""},
		"404":                     {tool.Response{Status: 404, MediaType: html, Body: body("<title>x</title><h1>Not\nhere</h1><p>Go home")}, "", `error: "https://a.example/p" answered 404: Not here Go home`, ""},
		"500, endless":            {tool.Response{Status: 500, MediaType: "text/plain", Body: body(&endless{of: "ü "})}, "text", `error: "https://a.example/p" answered 500: ` + strings.TrimSpace(strings.Repeat("ü ", 333)), ""},
		"403 with an image":       {tool.Response{Status: 403, MediaType: "image/png", Body: body(png)}, "", `error: "https://a.example/p" answered 403`, ""},
		"breaks off":              {tool.Response{MediaType: html, Body: body(strings.Repeat("x", 9000), breaks{})}, "", "error: the answer of a.example broke off: EOF", ""},
		"breaks off at once":      {tool.Response{MediaType: html, Body: body("x", breaks{})}, "", "error: the answer of a.example broke off: EOF", ""},
		"cut":                     {tool.Response{MediaType: html, Body: body(strings.Repeat("<p>", 210_000) + "x")}, "", "[The page has more than is read here. format html gives its source.]", ""},
		"a huge title":            {tool.Response{URL: "https://b.example/", MediaType: html, Body: body("<title>" + strings.Repeat("x", 1<<20) + "</title>y")}, "", "URL: https://b.example/\nTitle: " + strings.Repeat("x", 300) + "\n\ny", ""},
	} {
		args, _ := json.Marshal(map[string]string{"url": "https://a.example/p", "format": c.format})
		var out bytes.Buffer
		r, err := one(t, "web_fetch").Run(t.Context(), &tool.Call{Args: args, Out: &out, Session: &tool.Session{}, Net: pages{"https://a.example/p": c.res}})
		got := out.String()
		if err != nil {
			got = "error: " + err.Error()
		}
		if strings.TrimSpace(got) != strings.TrimSpace(c.want) {
			t.Errorf("%s:\n%.400q\nwant\n%.400q", name, got, c.want)
		}
		file := ""
		if r != nil && len(r.Files) == 1 {
			f := r.Files[0]
			file = f.Name + " " + f.MediaType + " " + string(mustJSON(len(f.Content)))
		}
		if file != c.file {
			t.Errorf("%s: the file %q, want %q", name, file, c.file)
		}
	}
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// A call without a network, of a host that is not there, canceled, and one whose result nobody takes.
func TestWebFetchFails(t *testing.T) {
	canceled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stop"))
	page := func() pages { return pages{"http://a/": {MediaType: "text/plain", Body: body("x")}} }
	for want, c := range map[string]struct {
		ctx context.Context
		net tool.Net
		out io.Writer
	}{
		"there is no network for this call":      {t.Context(), nil, io.Discard},
		"the request to http://a/: no such host": {t.Context(), pages{}, io.Discard},
		"stop":                                   {canceled, page(), io.Discard},
		"nobody listens":                         {t.Context(), page(), broken{}},
	} {
		if _, err := one(t, "web_fetch").Run(c.ctx, &tool.Call{Args: []byte(`{"url":"http://a/"}`), Out: c.out, Session: &tool.Session{}, Net: c.net}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
