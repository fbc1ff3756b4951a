package web

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// body is the body of an answer. It ends the fetch when it is closed.
type body struct {
	io.ReadCloser
	ctx, outer context.Context
	host       string
	end        func()
}

// Read implements io.Reader. The error of an answer that breaks off is written for the model.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return n, err
	case b.outer.Err() != nil:
		return n, context.Cause(b.outer)
	case b.ctx.Err() != nil:
		return n, fmt.Errorf("the answer of %s: %w", text.Show(b.host), context.Cause(b.ctx))
	}
	return n, fmt.Errorf("the answer of %s broke off: %s", text.Show(b.host), text.Line(err.Error(), maxReason))
}

// Close ends the fetch.
func (b *body) Close() error {
	b.end() // first: the rest of the body is not waited for
	return b.ReadCloser.Close()
}
