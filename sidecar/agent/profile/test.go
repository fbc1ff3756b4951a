package profile

import (
	"strconv"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Test is what a profile has to say of one recording. A package that plays recordings runs
// it.
type Test struct {
	// Recording is an asciicast; its name is relative to the folder of the profile's file.
	Recording string `json:"recording"`
	// States are what is known at certain times.
	States []TestState `json:"states"`
	// Answers are what is answered to each message that was typed in the recording, in their
	// order. If it is not given, the answers do not matter.
	Answers []string `json:"answers"`
}

// TestState is what is known at one time. Only what is given matters.
type TestState struct {
	At       float64  `json:"at"` // seconds from the start
	State    State    `json:"state"`
	Rule     string   `json:"rule"`
	Input    *string  `json:"input"` // what stands in the input
	Question string   `json:"question"`
	Options  []string `json:"options"` // their labels
}

func (d *decoder) checkTests(root *jsontree.Node, tests []Test) {
	for i, t := range tests {
		at := "/tests/" + strconv.Itoa(i)
		if t.Recording == "" {
			d.at(root, at+"/recording", "this is missing", "give the name of an asciicast")
		}
		if len(t.States) == 0 && t.Answers == nil {
			d.at(root, at, "the test expects nothing", `give "states" or "answers"`)
		}
		for j, s := range t.States {
			at := at + "/states/" + strconv.Itoa(j)
			d.oneOf(root, at+"/state", string(s.State), string(Starting), string(Ready), string(Working), string(Asking), string(Dialogue), string(Exited), string(Unknown))
		}
	}
}
