package turn

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// TestPartsAmongWords stand at their place in the answer, and nothing is added after the last one.
func TestPartsAmongWords(t *testing.T) {
	tasks := task.NewRegistry(task.Options{})
	defer tasks.Close()
	k := tasks.Create("", "", &a2a.Message{Role: a2a.RoleUser}, nil)
	r := newResponse(k, "response")
	r.Write([]byte("see "))
	r.Part(a2a.Part{Kind: a2a.PartRaw, Raw: []byte{1, 2}, MediaType: "image/png"})
	r.Write([]byte("and"))
	r.Part(a2a.Part{Kind: a2a.PartURL, URL: "https://example.com/"})
	r.Close()
	got := k.Snapshot(nil, true).Artifacts[0]
	if len(got.Parts) != 4 || got.Parts[0].Text != "see " || len(got.Parts[1].Raw) != 2 || got.Parts[2].Text != "and" || got.Parts[3].URL == "" {
		t.Errorf("%+v", got.Parts)
	}
}
