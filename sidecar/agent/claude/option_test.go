package claude_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

func TestOptionsAreChosen(t *testing.T) {
	f := startWith(t, []peer.Option{{Key: "model", Value: "my-model"}, {Key: "permission_mode", Value: "plan"}, {Key: "effort", Value: "low"}}, "claude", "--resume", session)
	started := make(chan error, 1)
	go func() { started <- f.peer.Start(t.Context()) }()
	f.grant(f.request("initialize"), offers())
	model := f.request("set_model")
	f.grant(model, nil)
	mode := f.request("set_permission_mode")
	f.grant(mode, nil)
	effort := f.request("apply_flag_settings")
	f.grant(effort, nil)
	f.refuse(f.request("get_settings"), "not here")
	f.grant(f.request("get_usage"), wire{"session": wire{"total_cost_usd": 2.0}})
	if err := await(t, started); err != nil {
		t.Fatal(err)
	}
	if model.path("request", "model") != "my-model" || mode.path("request", "mode") != "plan" || effort.path("request", "settings", "effortLevel") != "low" {
		t.Errorf("chosen: %v %v %v", model, mode, effort)
	}
	// A resumed conversation has cost something before.
	ends, _ := f.prompt("x", &events{})
	f.say(result(wire{"total_cost_usd": 2.25}))
	if e := await(t, ends); *e.Usage.Cost != 0.25 {
		t.Errorf("the turn cost %v", *e.Usage.Cost)
	}
}

func TestOptionsThatClaudeDoesNotHave(t *testing.T) {
	for _, c := range []struct {
		option  peer.Option
		refused string // by claude itself
		want    []string
	}{
		{peer.Option{Key: "colour", Value: "red"}, "", []string{"colour=red", "model", "permission_mode", "effort"}},
		{peer.Option{Key: "effort", Value: "none"}, "", []string{"effort=none", "low", "high"}},
		{peer.Option{Key: "permission_mode", Value: "no"}, "", []string{"plan", "acceptEdits"}},
		{peer.Option{Key: "permission_mode", Value: "bypassPermissions"}, "Cannot set\x1b", []string{"bypassPermissions", "Cannot set"}},
	} {
		f := startWith(t, []peer.Option{c.option}, "claude", "--session-id", session)
		started := make(chan error, 1)
		go func() { started <- f.peer.Start(t.Context()) }()
		f.grant(f.request("initialize"), offers())
		if c.refused != "" {
			f.refuse(f.next(), c.refused)
		}
		err := await(t, started)
		for _, word := range c.want {
			if err == nil || !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%v: the error is %v, without %q", c.option, err, word)
			}
		}
	}
}
