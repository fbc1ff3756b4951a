package client_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// canned is a transport that answers every request with the same stream.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(c)),
	}, nil
}

// FuzzClientStream has a client read anything as a stream: it ends, no item is
// longer than the limit, and what came whole does not change with what follows.
func FuzzClientStream(f *testing.F) {
	event := "id: 7\ndata: " + envelope + completed + "\n\n"
	for _, seed := range []string{
		event, event + event, "data:" + envelope + "\r\ndata: " + completed + "\r\n\r\n", ": \n\n" + event, event[:len(event)-1], "id: 1\n\n" + event,
		"event: error\ndata: {}\n\n", "retry: 1\nid\ndata\n\n", "id: 18446744073709551616\n" + event, "\xef\xbb\xbf" + event, "data: " + envelope + submitted + "\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		read := func(text []byte) (events []*a2a.Event, err error) {
			c := client.New("http://sidecar.test", &http.Client{Transport: canned(text)})
			c.MaxFrame = 4096
			s, err := c.Subscribe(context.Background(), &a2a.SubscribeRequest{ID: "t"})
			if err != nil {
				return nil, err
			}
			defer s.Close()
			for len(events) <= len(text) {
				next, err := s.Next(context.Background())
				if err != nil {
					return events, err
				}
				events = append(events, next...)
			}
			t.Fatalf("%d events in %d bytes", len(events), len(text))
			return
		}
		events, err := read(text)
		if err == nil {
			t.Fatal("the stream did not end")
		}
		for _, e := range events {
			if n := len(codec.EncodeEvent(e, a2a.V10)); n > 16*4096 {
				t.Errorf("an event of %d bytes", n)
			}
		}
		// One more byte may finish what broke off; it takes nothing back.
		more, _ := read(append(bytes.Clone(text), '\n'))
		if len(more) < len(events) {
			t.Errorf("%d events, and %d with an empty line more", len(events), len(more))
		}
		for i, e := range events {
			if more[i].ID != e.ID || !bytes.Equal(codec.EncodeEvent(more[i], a2a.V10), codec.EncodeEvent(e, a2a.V10)) {
				t.Errorf("event %d is another one with an empty line more", i)
			}
		}
	})
}
