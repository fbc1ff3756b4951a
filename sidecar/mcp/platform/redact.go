package platform

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// redacted stands where the token was.
const redacted = "[redacted]"

// redactor takes a token out of what the platform says.
type redactor struct{ *strings.Replacer }

func newRedactor(token string) redactor {
	return redactor{strings.NewReplacer(token, redacted, strings.ReplaceAll(token, "/", `\/`), redacted)}
}

func (r redactor) bytes(b []byte) []byte {
	if b == nil {
		return nil
	}
	return []byte(r.Replace(string(b)))
}

// failure is an error of the platform's without the token. errors.Is finds what the error wraps.
type failure struct {
	text string
	err  error
}

func (f *failure) Error() string        { return f.text }
func (f *failure) Is(target error) bool { return errors.Is(f.err, target) }

func (r redactor) error(err error) error {
	if err == nil {
		return nil
	}
	return &failure{text: text.Shorten(text.Line(r.Replace(err.Error()), 0), maxProblem), err: err}
}

// tells reports whether a definition has the token in it. Such a tool is left out.
func (r redactor) tells(t *manifest.Tool) bool {
	for _, s := range []string{t.Name, t.Description, string(t.InputSchema), string(t.OutputSchema), t.External.Name, t.External.Version} {
		if r.Replace(s) != s {
			return true
		}
	}
	return false
}

// result takes the token out of a result, which is changed.
func (r redactor) result(res *client.Result) *client.Result {
	if res == nil {
		return nil
	}
	res.Structured = r.bytes(res.Structured)
	res.Content = slices.Clone(res.Content)
	for i := range res.Content {
		c := &res.Content[i]
		c.Text, c.MediaType, c.URI, c.Name, c.Data = r.Replace(c.Text), r.Replace(c.MediaType), r.Replace(c.URI), r.Replace(c.Name), r.bytes(c.Data)
	}
	return res
}

// listener takes the token out of what a call hears meanwhile.
type listener struct {
	client.Listener
	redactor
}

var _ client.Listener = listener{}

// Progress implements client.Listener.
func (l listener) Progress(done, total float64, message string) {
	l.Listener.Progress(done, total, l.Replace(message))
}

// Elicit implements client.Listener.
func (l listener) Elicit(ctx context.Context, e client.Elicitation) (client.Elicited, error) {
	e.Message, e.URL, e.Schema = l.Replace(e.Message), l.Replace(e.URL), l.bytes(e.Schema)
	return l.Listener.Elicit(ctx, e)
}

// Sample implements client.Listener.
func (l listener) Sample(ctx context.Context, s client.Sampling) (client.Sampled, error) {
	s.System, s.Messages = l.Replace(s.System), slices.Clone(s.Messages)
	for i := range s.Messages {
		s.Messages[i].Content = l.result(&client.Result{Content: s.Messages[i].Content}).Content
	}
	return l.Listener.Sample(ctx, s)
}
