package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// hundred returns a policy of 100 rules of every kind.
func hundred(b testing.TB) *policy.Set {
	var rules []string
	for i := range 25 {
		rules = append(rules,
			fmt.Sprintf("allow acme.t%d", i),
			fmt.Sprintf("allow fs.read '/srv/d%d/**'", i),
			fmt.Sprintf("allow net.fetch 'h%d.example.com'", i),
			fmt.Sprintf("allow shell.run 'tool%d run:*'", i))
	}
	return load(b, strings.Join(rules, ";"))
}

// BenchmarkDecide prints the time of a decision among 100 rules, and how many times that
// is of the least that any implementation needs for it: one match of each of the 25
// patterns of its kind, or reading the command line once.
func BenchmarkDecide(b *testing.B) {
	s := hundred(b)
	const line = "tool3 run a b && tool4 run 'c d' | tool5 run"
	for _, bc := range []struct {
		name, request string
		floor         func()
	}{
		{"path", "acme.t7 fs.read=/srv/d9/x/y.txt", func() {
			for i := range 25 {
				doublestar.MatchUnvalidated(patterns[i], "srv/d9/x/y.txt")
			}
		}},
		{"command", "acme.t7 shell.run='" + strings.ReplaceAll(line, "'", `"`) + "'", func() {
			if _, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(line), ""); err != nil {
				panic(err)
			}
		}},
	} {
		b.Run(bc.name, func(b *testing.B) {
			r := requestOf(b, bc.request)
			if d := s.Decide(b.Context(), r); d.Verdict != policy.Allow {
				b.Fatalf("%s by %s", d.Verdict, d.Rule)
			}
			b.ReportAllocs()
			var ours, floor time.Duration
			for b.Loop() {
				start := time.Now()
				s.Decide(b.Context(), r)
				middle := time.Now()
				bc.floor()
				ours, floor = ours+middle.Sub(start), floor+time.Since(middle)
			}
			b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N), "ns/decision")
			b.ReportMetric(float64(ours)/float64(floor), "x-floor")
		})
	}
}

var patterns = func() (out [25]string) {
	for i := range out {
		out[i] = fmt.Sprintf("srv/d%d/**", i)
	}
	return out
}()
