package unseen_test

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

//go:embed testdata/programs.json
var programs []byte

// program is one line of the list.
type program struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"` // repl, shell, asker, screen or agent
	Debian  []string `json:"debian"`
	NPM     string   `json:"npm"`
	Go      string   `json:"go"`
	Server  string   `json:"server"`  // what has to run beside it
	Model   bool     `json:"model"`   // it asks a model, which echoes
	Command string   `json:"command"` // {dir} is the test's own folder, {testdata} this one's
	Steps   []step   `json:"steps"`
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

	Screen string `json:"screen"` // the answer is the screen, on which this expression fits
	Gone   string `json:"gone"`   // and this does not
}

func list(t *testing.T) []program {
	t.Helper()
	var all []program
	d := json.NewDecoder(strings.NewReader(string(programs)))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		t.Fatalf("testdata/programs.json: %v", err)
	}
	return all
}

// The list holds at least twenty programs, and the sidecar has no profile for any.
func TestListOfStrangers(t *testing.T) {
	all, names := list(t), map[string]bool{}
	if len(all) < 20 {
		t.Errorf("%d programs", len(all))
	}
	for _, p := range all {
		if names[p.Name] || len(p.Steps) == 0 {
			t.Errorf("%s is there twice, or has no step", p.Name)
		}
		names[p.Name] = true
		if known := agent.NameFor(strings.Fields(p.Command)); known != profile.GenericName {
			t.Errorf("%s has a profile: %s", p.Name, known)
		}
		for _, s := range p.Steps {
			if s.Say == "" || (s.Asks == "") != (s.Reply == "") || s.Screen != "" && s.Answer != "" {
				t.Errorf("%s: %+v", p.Name, s)
			}
		}
	}
}
