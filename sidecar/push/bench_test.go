package push_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	a2apush "github.com/a2a-sidecar/sidecar/a2a/push"
	"github.com/a2a-sidecar/sidecar/sidecar/push"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

type senderFunc func(ctx context.Context, c *a2a.PushConfig, e *a2a.Event) error

func (f senderFunc) Send(ctx context.Context, c *a2a.PushConfig, e *a2a.Event) error {
	return f(ctx, c, e)
}

// BenchmarkWriter is what a task's writer pays for receivers: 16 that are down,
// 16 that never answer, and one that takes everything over HTTP, each over a
// task without any. What a receiver that keeps up costs is the CPU time of its
// requests.
func BenchmarkWriter(b *testing.B) {
	const chunks = 30_000
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer hook.Close()
	http := a2apush.New(a2apush.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	defer http.Close()
	text := strings.Repeat("x", 200)
	write := func(receivers int, s push.Sender) (took time.Duration, sent uint64) {
		tasks := task.NewRegistry(task.Options{})
		defer tasks.Close()
		d := push.New(push.Options{Sender: s, Concurrency: 16, RetryFor: time.Hour})
		defer d.Close()
		k := tasks.Create("", "ctx", &a2a.Message{Parts: []a2a.Part{a2a.TextPart("hello")}}, nil)
		for range receivers {
			c, err := k.SetPush(a2a.PushConfig{URL: hook.URL})
			if err != nil {
				b.Fatal(err)
			}
			d.Serve(k, c.ID)
		}
		begin := time.Now()
		for range chunks {
			if err := k.Artifact(b.Context(), a2a.ArtifactUpdate{Append: true, Artifact: a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart(text)}}}); err != nil {
				b.Fatal(err)
			}
		}
		took = time.Since(begin)
		if err := k.Status(a2a.StateCompleted, nil, nil); err != nil {
			b.Fatal(err)
		}
		d.Drain(b.Context())
		return took, d.Stats().Delivered
	}
	down := senderFunc(func(context.Context, *a2a.PushConfig, *a2a.Event) error { return errDown })
	hang := senderFunc(func(ctx context.Context, _ *a2a.PushConfig, _ *a2a.Event) error {
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
		return errDown
	})
	var none, dead, slow, live time.Duration
	var sent uint64
	for b.Loop() {
		add := func(sum *time.Duration, receivers int, s push.Sender) uint64 {
			took, n := write(receivers, s)
			*sum += took
			return n
		}
		add(&none, 0, down)
		add(&dead, 16, down)
		add(&slow, 16, hang)
		sent += add(&live, 1, http)
	}
	b.ReportMetric(float64(dead)/float64(none), "16-down/none")
	b.ReportMetric(float64(slow)/float64(none), "16-slow/none")
	b.ReportMetric(float64(live)/float64(none), "1-live/none")
	b.ReportMetric(float64(sent)/float64(b.N), "notifications")
	b.ReportMetric(float64(none.Microseconds())/float64(b.N)/chunks, "us/chunk")
}
