package spec_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

func TestConcerns(t *testing.T) {
	for _, c := range []struct {
		prompt, typed string
		want          bool
	}{
		{"", "anything", true}, {"a b", "a b", true}, {"a b\nc", " a  b c\n", true}, {"a b", "a", false},
		// An agent may compose what was typed as letters and marks (NFC).
		{"caf\u00e9 \ub098", "cafe\u0301 \u1102\u1161", true}, {"caf\u00e8 x", "cafe\u0301", false}, {"caf\u00e9", "cafe", false},
	} {
		if got := spec.Concerns(channel.Report{Prompt: c.prompt}, c.typed); got != c.want {
			t.Errorf("a report about %q concerns %q: %v", c.prompt, c.typed, got)
		}
	}
}
