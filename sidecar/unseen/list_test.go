package unseen_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

//go:embed testdata/programs.json
var programs []byte

//go:embed testdata/heldout.json
var heldOut []byte

// program is one line of the list.
type program struct {
	Name    string            `json:"name"`
	Kind    string            `json:"kind"` // repl, shell, asker, screen or agent
	Debian  []string          `json:"debian"`
	NPM     string            `json:"npm"`
	Go      string            `json:"go"`
	Needs   []string          `json:"needs"` // more commands
	Env     []string          `json:"env"`
	Files   map[string]string `json:"files"`   // below its home
	Server  string            `json:"server"`  // what has to run beside it
	Model   bool              `json:"model"`   // it asks a model, which echoes
	Command string            `json:"command"` // {dir} is the test's own folder, {testdata} this one's, {packages} what npm has installed for it, {port} free, {model} the model's address
	Steps   []step            `json:"steps"`
	further bool              // it is of the further list
}

// step is one message and what a client has to get for it.
type step struct {
	Say    string  `json:"say"`
	Answer string  `json:"answer"` // exact but for {*}, which is any text
	Takes  float64 `json:"takes"`  // seconds that the program itself takes

	Asks    string   `json:"asks"`    // a part of the question; "" if none is asked
	Options []string `json:"options"` // of the question, in their order
	Reply   string   `json:"reply"`
	Secret  bool     `json:"secret"` // the reply is not echoed
	Then    []step   `json:"then"`   // what is asked after the reply: Asks, Options and Reply of each

	Screen string `json:"screen"` // the answer is the screen, on which this expression fits
	Gone   string `json:"gone"`   // and this does not
}

//go:embed testdata/strangers.json
var played []byte

// questions are those of a step, in their order.
func (s step) questions() []step {
	if s.Asks == "" {
		return nil
	}
	return append([]step{s}, s.Then...)
}

// list is the list with the programs that were held out of it, and the agents that the test plays itself.
func list(t *testing.T) (all, actors []program) {
	t.Helper()
	var more []program
	for _, from := range []struct {
		text []byte
		into *[]program
	}{{programs, &all}, {heldOut, &more}, {played, &actors}} {
		d := json.NewDecoder(bytes.NewReader(from.text))
		d.DisallowUnknownFields()
		if err := d.Decode(from.into); err != nil {
			t.Fatal(err)
		}
	}
	for i := range more {
		more[i].further = true
	}
	return append(all, more...), actors
}

// The list holds at least twenty programs, and the sidecar has no profile for any.
func TestListOfStrangers(t *testing.T) {
	all, actors := list(t)
	names := map[string]bool{}
	if len(all) < 20 {
		t.Errorf("%d programs", len(all))
	}
	for _, p := range slices.Concat(all, actors) {
		if names[p.Name] || len(p.Steps) == 0 {
			t.Errorf("%s is there twice, or has no step", p.Name)
		}
		names[p.Name] = true
		if known := agent.NameFor(strings.Fields(p.Command)); known != profile.GenericName {
			t.Errorf("%s has a profile: %s", p.Name, known)
		}
		for _, s := range p.Steps {
			if s.Say == "" || (s.Asks == "") != (s.Reply == "") || s.Screen != "" && s.Answer != "" || s.Asks == "" && len(s.Then) > 0 {
				t.Errorf("%s: %+v", p.Name, s)
			}
			for _, q := range s.Then {
				if q.Asks == "" || q.Reply == "" || q.Say != "" || q.Answer != "" || len(q.Then) > 0 {
					t.Errorf("%s: %+v", p.Name, q)
				}
			}
		}
	}
}
