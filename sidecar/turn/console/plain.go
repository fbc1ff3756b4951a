package console

import (
	esc "github.com/a2a-sidecar/sidecar/internal/escape"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// PlainText returns a text without escape sequences and unsafe characters.
func PlainText(s string) string { return text.Strip(esc.Strip(s)) }
