package cli_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// owner is what emit and ask reach: it writes down what it is told.
type owner struct {
	mu   sync.Mutex
	told []string
}

var _ channel.SessionOwner = (*owner)(nil)

// startChannel serves a channel of a sidecar at url until the test ends, and returns the
// environment of an agent.
func startChannel(t testing.TB, dir, url string) (*owner, []string) {
	server, err := channel.Listen(channel.Options{RuntimeDir: dir, UID: -1, Caller: inside{}, URL: func() string { return url }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	o := &owner{}
	return o, []string{"SIDECAR_SOCKET=" + server.Path(), "SIDECAR_CHANNEL_TOKEN=" + server.Grant(o).Token()}
}

// inside executes what is called over the channel.
type inside struct{}

func (inside) CallTool(_ context.Context, _ channel.Owner, c channel.Call, _ <-chan struct{}) (channel.Called, error) {
	switch c.Name {
	case "x.busy":
		return channel.Called{}, channel.ErrBusy
	case "x.denied":
		return channel.Called{TaskID: "t-1", Envelope: []byte(`{"type":"error","error_text":"no","metadata":{"outcome":"denied"}}`)}, nil
	case "x.long":
		return channel.Called{TaskID: "t-1", Envelope: []byte(`{"type":"output","data":{"head":"all"},"metadata":{"outcome":"truncated","truncated":true,"output_url":"/a2a/outputs/t-1"}}`)}, nil
	}
	return channel.Called{TaskID: "t-1", Envelope: fmt.Appendf(nil, `{"type":"output","data":{"inside":%s},"metadata":{"outcome":"final"}}`, c.Arguments)}, nil
}

func (o *owner) note(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told = append(o.told, fmt.Sprintf(format, args...))
}

// take returns what was told since the last time.
func (o *owner) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	told := o.told
	o.told = nil
	return strings.Join(told, "\n") + "\n"
}

func (o *owner) Status(s channel.Status) error {
	if s.Text == "ended" {
		return channel.ErrEnded
	}
	n := "-"
	if s.Progress != nil {
		n = fmt.Sprint(*s.Progress)
	}
	o.note("status %q %s%s", s.Text, n, beside(s.Parts, "", s.Metadata, s.Extensions))
	return nil
}

// beside is what a thing carries beside its words, "" for nothing.
func beside(parts []a2a.Part, description string, m a2a.Metadata, extensions []string) (out string) {
	if description != "" {
		out = fmt.Sprintf(" description=%q", description)
	}
	for _, p := range parts {
		out += fmt.Sprintf(" [data=%s type=%s meta=%s]", p.Data, p.MediaType, p.Metadata)
	}
	if len(m) > 0 {
		out += fmt.Sprintf(" metadata=%s", m)
	}
	if len(extensions) > 0 {
		out += fmt.Sprintf(" extensions=%s", extensions)
	}
	return out
}

func (o *owner) Artifact(_ context.Context, u a2a.ArtifactUpdate) error {
	id := u.Artifact.ID
	if len(id) == 36 {
		id = "(generated)"
	}
	line := fmt.Sprintf("artifact %s %q append=%v last=%v", id, u.Artifact.Name, u.Append, u.LastChunk)
	for _, p := range u.Artifact.Parts {
		text := p.Text
		if len(text) > 40 {
			text = fmt.Sprintf("(%d bytes)", len(text))
		}
		line += fmt.Sprintf(" [text=%q data=%s raw=%d url=%s type=%s file=%s]", text, p.Data, len(p.Raw), p.URL, p.MediaType, p.Filename)
		if len(p.Metadata) > 0 {
			line += fmt.Sprintf(" {%s}", p.Metadata)
		}
	}
	o.note("%s%s", line, beside(nil, u.Artifact.Description, u.Artifact.Metadata, u.Artifact.Extensions))
	return nil
}

func (o *owner) Ask(_ context.Context, q channel.Question) (channel.Answer, error) {
	o.note("ask %q %v %s%s", q.Text, q.Options, q.Timeout, beside(q.Parts, "", q.Metadata, q.Extensions))
	switch {
	case q.Text == "nobody":
		return channel.Answer{}, channel.ErrNobody
	case q.Text == "late":
		return channel.Answer{}, channel.ErrTimeout
	case q.Text == "second":
		return channel.Answer{}, channel.ErrQuestionOpen
	case len(q.Options) > 0:
		return channel.Answer{Text: q.Options[0].Label, OptionID: q.Options[0].ID}, nil
	}
	return channel.Answer{Text: "forty\ntwo", Metadata: a2a.Metadata{"a": []byte("1")}, Extensions: []string{"urn:x:1"}}, nil
}

func (o *owner) Done(d channel.Done) error {
	o.note("done %s %q message=%v%s", d.State, d.Text, d.Message, beside(d.Parts, "", d.Metadata, d.Extensions))
	return nil
}

func (o *owner) Usage(u channel.Usage) error {
	line := "usage " + u.Model
	if u.InputTokens != nil {
		line += fmt.Sprintf(" in=%d", *u.InputTokens)
	}
	if u.OutputTokens != nil {
		line += fmt.Sprintf(" out=%d", *u.OutputTokens)
	}
	if u.CostUSD != nil {
		line += fmt.Sprintf(" cost=%v", *u.CostUSD)
	}
	o.note("%s", line)
	return nil
}

func (o *owner) Offered(*channel.Conn) {}

func (o *owner) Lost(*channel.Conn) {}

func (o *owner) Listed() { o.note("listed") }

func (o *owner) Report(r channel.Report) error {
	if len(r.Text) > 40 {
		r.Text = fmt.Sprintf("(%d bytes)", len(r.Text))
	}
	o.note("report %s %s text=%q message=%q id=%s prompt=%q final=%v", r.State, r.Kind, r.Text, r.Message, r.ID, r.Prompt, r.Final)
	return nil
}
