package task_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// What an agent calls its artifacts and answers holds nothing that the terminal of
// a client would obey, or hide.
func TestNamesFromOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{})
		name, description := "re\x1b]0;x\x07port\u202e\U000e0041.txt\n", "two\nlines\u2066"
		for range 2 { // the second goes on with the first
			err := k.Artifact(t.Context(), a2a.ArtifactUpdate{Append: true, Artifact: a2a.Artifact{
				ID: "a", Name: name, Description: description, Parts: []a2a.Part{a2a.TextPart("\u202econtent stays")},
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		got := k.Snapshot(nil, true).Artifacts[0]
		if got.Name != "re]0;xport.txt " || got.Description != "two\nlines" || got.Parts[0].Text != "\u202econtent stays\u202econtent stays" {
			t.Errorf("%q, %q, %q", got.Name, got.Description, got.Parts[0].Text)
		}
		asks := ask(t, t.Context(), k, task.Question{Text: "sure\x1b[2J?", Detail: "rm\u202e", Options: []task.Option{{ID: "y", Label: "Yes\U000e0041\r"}}})
		status := k.Snapshot(nil, true).Status.Message
		if len(status.Parts) == 0 || status.Parts[0].Text != "sure[2J?" || strings.Contains(string(status.Parts[len(status.Parts)-1].Data), "\u202e") {
			t.Errorf("asked %+v", status.Parts)
		}
		if err := k.Answer(message("Yes")); err != nil {
			t.Fatal(err)
		}
		if a := <-asks; a.answer.OptionID != "y" {
			t.Errorf("%+v", a)
		}
	})
}
