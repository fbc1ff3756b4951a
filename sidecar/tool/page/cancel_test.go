package page_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/page"
)

// A page is no longer read, or written, when its call has ended in the middle.
func TestPageOfACallThatEnds(t *testing.T) {
	source := strings.Repeat("<p>x", 20_000)
	all := func(ctx context.Context) *page.Page {
		p, err := page.Read(ctx, source, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, work := range map[string]func(ctx context.Context) (string, error){
		"read": func(ctx context.Context) (string, error) {
			_, err := page.Read(ctx, source, nil)
			return "", err
		},
		"text":     func(ctx context.Context) (string, error) { return all(t.Context()).Text(ctx) },
		"markdown": func(ctx context.Context) (string, error) { return all(t.Context()).Markdown(ctx) },
	} {
		whole := &await.Tired{Context: t.Context(), After: 1 << 30}
		if _, err := work(whole); err != nil || whole.Looks < 50 {
			t.Errorf("%s: %v, looked at %d times", name, err, whole.Looks)
		}
		ends := &await.Tired{Context: t.Context(), After: 5}
		if got, err := work(ends); !errors.Is(err, await.ErrTired) || got != "" || ends.Looks > 10 {
			t.Errorf("%s: %q, %v, looked at %d times", name, got, err, ends.Looks)
		}
	}
}
