package spec_test

import (
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// TestReaches: the user's own variables, then what the agent's files say, then the maker's host; each is a pattern of one port.
func TestReaches(t *testing.T) {
	c := &spec.Confinement{
		Hosts: []string{"api.example.com:443"}, Variables: []string{"MODEL_URL", "OTHER_URL"},
		Models: func(l *spec.Launch) []string { return []string{l.Getenv("IN_FILE")} },
	}
	for _, test := range []struct {
		env  []string
		want []string
	}{
		{nil, []string{"api.example.com:443"}},
		{[]string{"MODEL_URL="}, []string{"api.example.com:443"}},
		{[]string{"MODEL_URL=https://model.example.com/v1"}, []string{"model.example.com:443"}},
		{[]string{"MODEL_URL=http://127.0.0.1:8399"}, []string{"127.0.0.1:8399"}},
		{[]string{"MODEL_URL=http://[::1]/"}, []string{"[::1]:80"}},
		{[]string{"MODEL_URL=https://a.example.com", "OTHER_URL=wss://b.example.com:1", "IN_FILE=https://a.example.com/x"}, []string{"a.example.com:443", "b.example.com:1"}},
		{[]string{"IN_FILE=https://file.example.com"}, []string{"file.example.com:443"}},
		{[]string{"MODEL_URL=no url\x7f"}, []string{"api.example.com:443"}},
	} {
		got := c.Reaches(&spec.Launch{Env: test.env})
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.env, got, test.want)
		}
		if _, err := netguard.ParseHosts(got); err != nil {
			t.Errorf("%q: %v", test.env, err)
		}
	}
}

func TestPlaces(t *testing.T) {
	state := spec.Place{Path: "~/.agent", Variable: "AGENT_HOME"}
	file := spec.Place{Path: "~/.agent.json", Variable: "AGENT_HOME", Below: ".agent.json", File: true}
	for _, test := range []struct {
		env               []string
		wantDir, wantFile string
	}{
		{[]string{"HOME=/home/ann"}, "/home/ann/.agent", "/home/ann/.agent.json"},
		{[]string{"HOME=/home/ann", "AGENT_HOME=/srv/state"}, "/srv/state", "/srv/state/.agent.json"},
		{[]string{"HOME=/home/ann", "AGENT_HOME=state"}, "/work/state", "/work/state/.agent.json"},
		{nil, "", ""},
		{[]string{"HOME=relative"}, "", ""},
	} {
		l := &spec.Launch{Env: test.env, WorkDir: "/work"}
		if dir, path := state.In(l), file.In(l); dir != test.wantDir || path != test.wantFile {
			t.Errorf("%q: %q and %q", test.env, dir, path)
		}
	}
	if p := (spec.Place{Path: "/opt/agent"}); p.In(&spec.Launch{}) != "/opt/agent" {
		t.Error("an absolute path is not itself")
	}
}
