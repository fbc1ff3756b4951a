package spec_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// A file that is no door is named, in words that do not speak of Go.
func TestFileThatIsNoDoor(t *testing.T) {
	for _, content := range []string{"", "[]", "{}", `{"socket":"/x"}`} {
		path := filepath.Join(t.TempDir(), "tools.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := spec.OpenDoor(path)
		if err == nil || !strings.HasPrefix(err.Error(), path+" does not say where a channel is") {
			t.Errorf("%q: %v", content, err)
		}
	}
}
