package page_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/tool/page"
)

// tired is a context that ends after it was looked at so many times.
type tired struct {
	context.Context
	looks, after int
}

var errTired = errors.New("it was looked at often enough")

func (c *tired) Err() error {
	if c.looks++; c.looks > c.after {
		return errTired
	}
	return nil
}

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
		whole := &tired{Context: t.Context(), after: 1 << 30}
		if _, err := work(whole); err != nil || whole.looks < 50 {
			t.Errorf("%s: %v, looked at %d times", name, err, whole.looks)
		}
		ends := &tired{Context: t.Context(), after: 5}
		if got, err := work(ends); !errors.Is(err, errTired) || got != "" || ends.looks > 10 {
			t.Errorf("%s: %q, %v, looked at %d times", name, got, err, ends.looks)
		}
	}
}
