package call

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/output"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// The files that a tool of our own returns, such as those of a sub-agent, have no secrets: not in text, nor in a name.
func TestFilesWithoutSecrets(t *testing.T) {
	hide, err := output.NewRedactor(output.Rules{Patterns: []string{`acme-[0-9]{4}`}})
	if err != nil {
		t.Fatal(err)
	}
	e := (&execution{}).gave(t.Context(), &Invocation{secrets: hide}, gave{result: &tool.Result{Files: []tool.File{
		{Name: "acme-1234.txt", MediaType: "text/plain", Content: []byte("key acme-5678\n")}, {Name: "a.png", MediaType: "image/png", Content: []byte("\x89PNG\x00")},
	}}}, nil)
	if len(e.artifacts) != 2 || string(e.artifacts[1].Artifact.Parts[0].Raw) != "\x89PNG\x00" {
		t.Fatalf("%+v", e.artifacts)
	}
	one := e.artifacts[0].Artifact
	for _, s := range []string{one.Name, one.Parts[0].Filename, string(one.Parts[0].Raw)} {
		if strings.Contains(s, "acme-") || s == "" {
			t.Errorf("it has %q", s)
		}
	}
}
