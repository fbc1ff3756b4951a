package sidecar

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// Where callers are known, one of them leaves half of the open approvals to others.
func TestOpenApprovals(t *testing.T) {
	for tokens, want := range map[string]int{"": 8, "tokens.json": 4} {
		s := &sidecar{Options: Options{Config: config.DefaultConfig()}}
		s.Config.MaxConcurrency, s.Config.Queue, s.Config.TokenFile = 2, 6, tokens
		if err := s.openApprovals(t.Context()); err != nil {
			t.Fatal(err)
		}
		ask := func(caller string) error {
			_, err := s.approvals.Open(approval.Request{Subject: approval.Subject{Caller: caller}})
			return err
		}
		n := 0
		for ask("ann") == nil {
			n++
		}
		if err := ask("bob"); n != want || (err == nil) != (tokens != "") {
			t.Errorf("token file %q: one caller has %d, and another is told %v", tokens, n, err)
		}
		if err := ask("ann"); tokens != "" && !strings.Contains(err.Error(), "this caller has 4 calls") {
			t.Errorf("%v", err)
		}
	}
}
