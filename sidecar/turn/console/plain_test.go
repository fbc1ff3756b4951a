package console_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

func TestPlainText(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext":                     "plain\n\ttext",
		"\x1b[31mred\x1b[0m\r\n":            "red\n",
		"\x1b]0;title ✳\x07said\x1b[?25l":   "said",
		"turned \u202eround\u202c, \u200bx": "turned round, x",
		"\u009b31mred":                      "red",
		"bad \xff\b":                        "bad \ufffd",
	} {
		if got := console.PlainText(in); got != want {
			t.Errorf("PlainText(%q) = %q, want %q", in, got, want)
		}
	}
}
