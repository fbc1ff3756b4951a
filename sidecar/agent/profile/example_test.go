package profile_test

import (
	"fmt"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// A profile is data: this one knows a program that waits at a prompt of its own.
func ExampleParse() {
	p, err := profile.Parse("acme.json", []byte(`{
		"commands": ["acme"],
		"signs": [{"rule": "prompt", "state": "ready", "cursor": "^acme> $"}],
		"prompt": {"cursor": true, "row": "^acme> (.*)$"},
		"submit": {"enter": "\r"}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	s := term.New(term.Options{Cols: 80, Rows: 24})
	fmt.Fprint(s, "welcome\r\nacme> ")
	m, ok := p.Match(s.Snapshot())
	fmt.Println(p.Name, m.State, m.Rule, ok)
	// Output: acme ready prompt true
}

// What is wrong with a profile has its place and the word that was likely meant.
func ExampleParse_faults() {
	_, err := profile.Parse("acme.json", []byte(`{"comands": ["acme"]}`))
	fmt.Println(err)
	// Output: acme.json:1:2: /comands: there is no field "comands"; hint: did you mean "commands"?
}
