package profile

import (
	"strconv"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Test is what a profile must say about one recording. Package replay runs it.
type Test struct {
	// Recording is the file of an asciicast, relative to the folder of the profile's file.
	Recording string `json:"recording"`
	// States are what the profile must say at certain times.
	States []TestState `json:"states"`
	// Answers are the answers to all messages that were typed in the recording, in their
	// order. If Answers is not given, they are not compared.
	Answers []string `json:"answers"`
}

// TestState is what the profile must say at one time. Only the given fields are compared.
type TestState struct {
	At       float64  `json:"at"` // seconds from the start, from 0 to 1e8
	State    State    `json:"state"`
	Rule     string   `json:"rule"`
	Input    *string  `json:"input"` // the text in the input
	Question string   `json:"question"`
	Options  []string `json:"options"` // the labels of the options
}

// checkTests finds what is wrong with the tests. It does not read their recordings.
func (d *decoder) checkTests(root *jsontree.Node, tests []Test) {
	for i, t := range tests {
		at := "/tests/" + strconv.Itoa(i)
		if t.Recording == "" {
			d.at(root, at+"/recording", "this is missing", "give the file of an asciicast")
		}
		if len(t.States) == 0 && t.Answers == nil {
			d.at(root, at, "the test compares nothing", `give "states" or "answers"`)
		}
		for j, s := range t.States {
			at := at + "/states/" + strconv.Itoa(j)
			d.oneOf(root, at+"/state", string(s.State), string(Starting), string(Ready), string(Working), string(Asking), string(Dialogue), string(Exited), string(Unknown))
		}
	}
}
