package opencode_test

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/opencode"
)

func TestOpencodeIsGivenAPortAndAPassword(t *testing.T) {
	o := agenttest.Launch(t, "opencode", "--continue")
	plan := agenttest.Prepare(t, opencode.Agent(), o)
	if len(plan.Argv) != 4 || plan.Argv[2] != "--port" {
		t.Fatalf("started as %q", plan.Argv)
	}
	if ln, err := net.Listen("tcp", "127.0.0.1:"+plan.Argv[3]); err != nil {
		t.Errorf("the port is not free: %v", err)
	} else {
		ln.Close()
	}
	password, ok := strings.CutPrefix(plan.Env[len(plan.Env)-1], "OPENCODE_SERVER_PASSWORD=")
	if !ok || len(password) < 24 || strings.Contains(strings.Join(plan.Argv, " "), password) {
		t.Errorf("with %q", plan.Env)
	}
	if again := agenttest.Prepare(t, opencode.Agent(), o); slices.Equal(again.Env, plan.Env) {
		t.Error("the password is always the same")
	}
	if plan.Source == nil {
		t.Error("nobody reads the events")
	}
}

func TestOpencodesOwnServerIsUsed(t *testing.T) {
	o := agenttest.Launch(t, "opencode", "--port=4096", "dir")
	o.Env = append(o.Env, "OPENCODE_SERVER_PASSWORD=mine")
	plan := agenttest.Prepare(t, opencode.Agent(), o)
	if !slices.Equal(plan.Argv, o.Argv) || !slices.Equal(plan.Env, o.Env) || plan.Source == nil {
		t.Errorf("started as %+v", plan)
	}
	o.Argv = []string{"opencode", "--port", "0"}
	if plan := agenttest.Prepare(t, opencode.Agent(), o); len(plan.Argv) != 3 || plan.Argv[2] == "0" {
		t.Errorf("nobody knows the port: %q", plan.Argv)
	}
	o.Argv = []string{"opencode", "run", "hi"}
	agenttest.Refuses(t, opencode.Agent(), o, "another program")
}
