package sidecar_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
)

// layersAlone are what a program is held by: nothing, each layer alone, all but one, and all.
var layersAlone = []struct {
	name string
	off  sandbox.Layer
}{
	{"none", sandbox.AllLayers},
	{"Landlock", sandbox.AllLayers &^ sandbox.Landlock},
	{"seccomp", sandbox.AllLayers &^ sandbox.Seccomp},
	{"capabilities", sandbox.AllLayers &^ sandbox.Capabilities},
	{"all but Landlock", sandbox.Landlock},
	{"all but seccomp", sandbox.Seccomp},
	{"all but capabilities", sandbox.Capabilities},
	{"all", 0},
}

// triesLayers is a program that starts the tool of a cell as the sidecar does, for each
// escape under each layer alone, and prints what came of it, in the order of the tables.
func triesLayers() int {
	var in struct {
		Cell       cell
		Definition string
	}
	must(json.NewDecoder(os.Stdin).Decode(&in))
	c := in.Cell
	must(proc.Undumpable())
	host := proc.NewHost(proc.HostOptions{})
	defer host.Close()
	agent, err := host.Start(proc.Command{Argv: []string{"sleep", "1000"}, Env: os.Environ()})
	must(err)
	defer agent.Stop()
	c.Sidecar, c.Agent = os.Getpid(), agent.PID()
	tools, _, err := manifest.Parse("tools.json", []byte(in.Definition), manifest.Options{})
	must(err)
	scope, err := capability.NewScope(capability.OS(), capability.Roots{Workspace: []string{c.workspace()}})
	must(err)
	tool := tools.Tools()[0]
	command := proc.Command{
		Argv: []string{c.program()}, Dir: c.workspace(),
		Env: []string{"PATH=/usr/bin:/bin", asAgent + "=escaper", "SIDECAR_URL=http://" + c.TCP, "TMPDIR=" + c.Dir + "/tmp", "GORACE=atexit_sleep_ms=10"},
	}
	self, err := os.Executable() // which limits the tool
	must(err)
	for _, e := range toolEscapes {
		for _, l := range layersAlone {
			keeper, err := confine.New(confine.Options{Mode: confine.Auto, Self: self, Off: l.off})
			must(err)
			box, err := keeper.For(confine.Call{Tool: tool, Set: scope.Effective(tool), Argv: command.Argv, Dir: command.Dir, Env: command.Env})
			must(err)
			command.Sandbox = box.Box
			c.Escape = e.name
			fmt.Printf("%q\n", c.plays(host, command))
		}
	}
	return 0
}

// plays runs the program for one escape and returns what it prints.
func (c *cell) plays(host *proc.Host, command proc.Command) string {
	if strings.Contains(c.Escape, "swapped") {
		back := c.swap()
		defer func() { must(back()) }()
	}
	defer c.clean()
	r, w, err := os.Pipe()
	must(err)
	must(json.NewEncoder(w).Encode(c)) // less than a pipe holds
	must(w.Close())
	command.Stdin = r
	child, err := host.Start(command)
	must(err)
	must(r.Close())
	var said strings.Builder
	child.Output(func(b []byte) { said.Write(b) }, func(b []byte) { said.Write(b) })
	return said.String()
}

// TestEscapesByLayer shows which layer holds which escape when the others are switched off:
// those that the table names, each by itself, and no other one. `make escapes` runs it.
func TestEscapesByLayer(t *testing.T) {
	confined(t)
	if os.Getenv("SIDECAR_ESCAPES") == "" {
		t.Skip("SIDECAR_ESCAPES=1 has it start 448 programs")
	}
	users := []int{0}
	if os.Geteuid() == 0 {
		users = append(users, 65532)
	}
	for _, uid := range users {
		t.Run(fmt.Sprintf("user %d", max(uid, os.Geteuid())), func(t *testing.T) {
			c, definition := newCell(t, uid)
			in, err := json.Marshal(map[string]any{"Cell": c, "Definition": definition})
			sure(t, err)
			cmd := exec.Command(c.program())
			c.starts(t, uid, cmd)
			cmd.Env = append(append(cleanEnviron(), cmd.Env...), asAgent+"=layers")
			cmd.Stdin, cmd.Stderr = strings.NewReader(string(in)), os.Stderr
			out, err := cmd.Output()
			said := strings.Split(strings.TrimSpace(string(out)), "\n")
			if err != nil || len(said) != len(toolEscapes)*len(layersAlone) {
				t.Fatalf("%v, %d answers:\n%s", err, len(said), out)
			}
			for i, e := range toolEscapes {
				row := map[string]string{}
				line := "| " + e.name
				for k, l := range layersAlone {
					var one string
					sure(t, json.Unmarshal([]byte(said[i*len(layersAlone)+k]), &one))
					row[l.name] = one
					line += " | " + l.name + ": " + one
				}
				t.Log(line + " |")
				checkLayers(t, uid, e.name, e.layer, row)
			}
		})
	}
}

func checkLayers(t *testing.T, uid int, name, holds string, row map[string]string) {
	t.Helper()
	held := func(layer string) bool { return strings.HasPrefix(row[layer], "held: ") }
	if !held("all") {
		t.Errorf("%s: it got out of all: %q", name, row["all"])
	}
	if held("none") {
		return // by the kernel, by the limits, or because nothing is inherited
	}
	layers := []string{"Landlock", "seccomp", "capabilities"}
	if max(uid, os.Geteuid()) != 0 {
		layers = layers[:2] // only root has capabilities
	}
	for _, layer := range layers {
		others := slices.ContainsFunc(layers, func(other string) bool { return other != layer && strings.Contains(holds, other) })
		if but := "all but " + layer; held(but) != others {
			t.Errorf("%s, under %s: %q; the table says %s", name, but, row[but], holds)
		}
		if named := strings.Contains(holds, layer); named != held(layer) {
			t.Errorf("%s, with %s alone: %q; the table says %s", name, layer, row[layer], holds)
		}
	}
}
