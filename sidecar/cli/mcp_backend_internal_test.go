package cli

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/face"
)

// toolsOf is the other end of a channel: it has tools and answers calls.
type toolsOf struct {
	names   []string
	changed chan struct{}
	hold    chan struct{} // calls wait for it; nil: they do not
	began   chan struct{}
}

func (o *toolsOf) CallTool(ctx context.Context, _ channel.Owner, c channel.Call, canceled <-chan struct{}) (channel.Called, error) {
	if o.hold != nil {
		o.began <- struct{}{}
		select {
		case <-o.hold:
		case <-canceled:
			return channel.Called{TaskID: "t", Envelope: json.RawMessage(`{"type":"error","error_text":"canceled","metadata":{"outcome":"canceled"}}`)}, nil
		case <-ctx.Done():
			return channel.Called{}, ctx.Err()
		}
	}
	return channel.Called{TaskID: "t", Envelope: json.RawMessage(`{"type":"output","data":"` + c.Name + `","metadata":{"outcome":"final"}}`),
		Artifacts: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: []byte("png"), MediaType: "image/png"}}},
			{ID: "big", Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: make([]byte, channel.MaxFrame)}}}}}, nil
}

func (o *toolsOf) Tools(context.Context, channel.Owner) (channel.ToolList, error) {
	l := channel.ToolList{Revision: "r"}
	for _, name := range o.names {
		l.Tools = append(l.Tools, channel.ToolDefinition{Name: name, Description: strings.Repeat("d", 1000), InputSchema: json.RawMessage(`{"type":"object"}`), Surface: "always"})
	}
	return l, nil
}

func (o *toolsOf) SearchTools(context.Context, channel.Owner, string, int) ([]channel.FoundTool, error) {
	return nil, nil
}

func (o *toolsOf) LoadTools(_ context.Context, _ channel.Owner, names []string) (all []channel.ToolDefinition, err error) {
	for _, name := range names { // each is nearly as long as a frame may be
		all = append(all, channel.ToolDefinition{Name: name, InputSchema: json.RawMessage(`{"type":"object","description":"` + strings.Repeat("d", 300_000) + `"}`)})
	}
	return all, nil
}

func (o *toolsOf) ToolsChanged() <-chan struct{} { return o.changed }

// owner is a session that takes nothing.
type owner struct{}

func (owner) Status(channel.Status) error                        { return nil }
func (owner) Artifact(context.Context, a2a.ArtifactUpdate) error { return nil }
func (owner) Done(channel.Done) error                            { return nil }
func (owner) Usage(channel.Usage) error                          { return nil }
func (owner) Ask(context.Context, channel.Question) (channel.Answer, error) {
	return channel.Answer{}, channel.ErrNobody
}

func listen(t *testing.T, o *toolsOf) (s *channel.Server, token string) {
	t.Helper()
	s, err := channel.Listen(channel.Options{RuntimeDir: t.TempDir(), UID: -1, Caller: o, Toolbox: o})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, s.Grant(owner{}).Token()
}

// When the sidecar goes away, a call that ran is lost and says so, and the next request finds the
// one that is there then.
func TestMCPBackendReconnects(t *testing.T) {
	first := &toolsOf{names: []string{"acme.one"}, changed: make(chan struct{}), hold: make(chan struct{}), began: make(chan struct{}, 1)}
	s, token := listen(t, first)
	var socket, secret atomic.Value
	socket.Store(s.Path())
	secret.Store(token)
	b := newMCPBackend(t.Context(), func() (string, string, string, error) {
		return "", socket.Load().(string), secret.Load().(string), nil
	})
	defer b.close()
	if err := b.begin(); err != nil {
		t.Fatal(err)
	}
	if l, err := b.Tools(t.Context()); err != nil || len(l.Tools) != 1 || l.Tools[0].Name != "acme.one" {
		t.Fatal(l, err)
	}
	changed := b.Changed()
	lost := make(chan error)
	go func() {
		_, err := b.Call(t.Context(), &face.Call{Name: "acme.one"})
		lost <- err
	}()
	<-first.began
	second, next := listen(t, &toolsOf{names: []string{"acme.two"}, changed: make(chan struct{})})
	socket.Store(second.Path())
	secret.Store(next)
	_ = s.Close()
	if err := <-lost; err == nil || !strings.Contains(err.Error(), "the sidecar has gone away") {
		t.Errorf("a call that was lost: %v", err)
	}
	if l, err := b.Tools(t.Context()); err != nil || len(l.Tools) != 1 || l.Tools[0].Name != "acme.two" {
		t.Errorf("after it: %v, %v", l, err)
	}
	<-changed // the list is another one
	r, err := b.Call(t.Context(), &face.Call{Name: "acme.two"})
	if err != nil || len(r.Artifacts) != 1 || r.Omitted != 1 || string(r.Artifacts[0].Parts[0].Raw) != "png" {
		t.Errorf("%+v, %v", r, err)
	}
	_ = second.Close()
	ctx, cancel := context.WithTimeout(t.Context(), redialPause)
	defer cancel()
	if _, err := b.Call(ctx, &face.Call{Name: "acme.two"}); err == nil || !strings.Contains(err.Error(), "the sidecar has gone away") {
		t.Errorf("nobody is there: %v", err)
	}
}

// Ten thousand tools, and definitions that fill frames, come over the channel whole.
func TestMCPBackendPages(t *testing.T) {
	o := &toolsOf{changed: make(chan struct{})}
	for i := range 10_000 {
		o.names = append(o.names, "acme.t"+strings.Repeat("0", i%7)+string(rune('a'+i%26)))
	}
	s, token := listen(t, o)
	b := newMCPBackend(t.Context(), func() (string, string, string, error) { return "", s.Path(), token, nil })
	defer b.close()
	if err := b.begin(); err != nil {
		t.Fatal(err)
	}
	l, err := b.Tools(t.Context())
	if err != nil || len(l.Tools) != 10_000 {
		t.Fatalf("%v, %v", l, err)
	}
	for i, one := range l.Tools {
		if one.Name != o.names[i] {
			t.Fatalf("%d is %s", i, one.Name)
		}
	}
	loaded, err := b.Load(t.Context(), o.names[:20])
	if err != nil || len(loaded) != 20 || loaded[19].Name != o.names[19] {
		t.Errorf("%d, %v", len(loaded), err)
	}
}
