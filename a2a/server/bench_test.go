package server_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// rawClient asks for the same bytes again and again over one connection, with
// nothing of its own in the way.
type rawClient struct {
	conn    net.Conn
	request []byte
	answer  []byte // a buffer as long as the answer
}

func newRawClient(b *testing.B, url, path string) *rawClient {
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	c := &rawClient{conn: conn, request: fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: localhost:8999\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n", path)}
	if _, err := conn.Write(c.request); err != nil {
		b.Fatal(err)
	}
	// Every answer is as long as the first: the length of Date does not change.
	var got []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := conn.Read(buf)
		if err != nil {
			b.Fatal(err)
		}
		got = append(got, buf[:n]...)
		head, body, ok := bytes.Cut(got, []byte("\r\n\r\n"))
		if !ok {
			continue
		}
		var length int
		for line := range bytes.Lines(head) {
			fmt.Sscanf(string(line), "Content-Length: %d", &length)
		}
		if length > 0 && len(body) == length {
			c.answer = make([]byte, len(got))
			return c
		}
	}
}

func (c *rawClient) get(b *testing.B) {
	if _, err := c.conn.Write(c.request); err != nil {
		b.Fatal(err)
	}
	if _, err := io.ReadFull(c.conn, c.answer); err != nil {
		b.Fatal(err)
	}
}

// benchmarkDocument reports requests a second over those of a bare net/http
// handler that writes the same bytes, both measured in turns in this run.
// Budget: ≥ 0.9.
func benchmarkDocument(b *testing.B, path string) {
	f := a2atest.NewFake()
	for i := range 20 {
		f.AgentCard.Skills = append(f.AgentCard.Skills, a2a.Skill{ID: fmt.Sprint("skill-", i), Name: "a skill", Description: strings.Repeat("word ", 20)})
	}
	f.ToolList = &a2a.Document{Body: bytes.Repeat([]byte(a2atest.ToolsJSON), 20), ETag: `"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"`}
	ours := httptest.NewServer(server.New(server.Options{Handler: f, Loopback: true, Headers: map[string]string{"x-spring-voyage-bridge-version": "1"}}))
	defer ours.Close()
	res, body := a2atest.Do(b, "GET", ours.URL+path, "", "Host", "localhost:8999")
	if res.StatusCode != http.StatusOK {
		b.Fatal(res.Status)
	}
	same := []byte(body)
	floor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(same)))
		w.Write(same)
	}))
	defer floor.Close()

	const turn = 50
	a, z := newRawClient(b, ours.URL, path), newRawClient(b, floor.URL, "/")
	p := &pairs{}
	for b.Loop() {
		p.measure(func() {
			for range turn {
				a.get(b)
			}
		}, func() {
			for range turn {
				z.get(b)
			}
		})
	}
	b.ReportMetric(turn/median(p.ours).Seconds(), "req/s")
	b.ReportMetric(turn/median(p.floor).Seconds(), "floor-req/s")
	b.ReportMetric(1/median(p.ratios), "ratio")
}

// pairs are measurements of ours and of the floor in turns, so that what else
// the machine does hits both.
type pairs struct {
	ours, floor []time.Duration
	ratios      []float64 // ours over floor
}

func (p *pairs) measure(ours, floor func()) {
	begin := time.Now()
	ours()
	middle := time.Now()
	floor()
	a, z := middle.Sub(begin), time.Since(middle)
	p.ours, p.floor = append(p.ours, a), append(p.floor, z)
	p.ratios = append(p.ratios, a.Seconds()/z.Seconds())
}

func median[T cmp.Ordered](v []T) T {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

func BenchmarkCard(b *testing.B)  { benchmarkDocument(b, "/.well-known/agent-card.json") }
func BenchmarkTools(b *testing.B) { benchmarkDocument(b, "/a2a/tools") }

// BenchmarkSSE sends 32 MiB of events that are encoded already, as to every
// subscriber but the first, and reports its rate over that of a bare net/http
// handler that writes and flushes as many bytes.
func BenchmarkSSE(b *testing.B) {
	const chunkSize, batch, batches = 32 << 10, 4, 256
	events := make([]*a2a.Event, batch)
	for i := range events {
		events[i] = a2atest.Big(chunkSize)
	}
	f := a2atest.NewFake()
	f.Open = func() a2a.Stream { return &repeated{left: batches, events: events} }
	url, _ := start(b, server.Options{Handler: f})
	floor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		frame := bytes.Repeat([]byte("x"), chunkSize*batch)
		for range batches {
			w.Write(frame)
			w.(http.Flusher).Flush()
		}
	}))
	defer floor.Close()
	p := &pairs{}
	for b.Loop() {
		p.measure(
			func() { drain(b, "POST", url+"/", a2atest.Hello("SendStreamingMessage", "hello")) },
			func() { drain(b, "GET", floor.URL, "") },
		)
	}
	b.ReportMetric(chunkSize*batch*batches/1e6/median(p.ours).Seconds(), "MB/s")
	b.ReportMetric(1/median(p.ratios), "ratio")
}

// repeated is a stream that gives the same events again and again.
type repeated struct {
	left   int
	events []*a2a.Event
}

func (r *repeated) Next(context.Context) ([]*a2a.Event, error) {
	if r.left == 0 {
		return nil, io.EOF
	}
	r.left--
	return r.events, nil
}

func (r *repeated) Close() {}

func drain(b *testing.B, method, url, body string) {
	req, err := http.NewRequestWithContext(b.Context(), method, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		b.Fatal(err)
	}
}
