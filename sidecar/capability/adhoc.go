package capability

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// DirectoriesURI is the key in a message's metadata under which a client names
// directories for its task: an array of absolute, clean paths of directories of this
// machine, which {ad-hoc} stands for. It is read from messages of callers only, never
// from those of the agent.
const DirectoriesURI = "urn:a2a-sidecar:directories:v1"

// maxAdHoc bounds how many directories a client may name for a task.
const maxAdHoc = 32

// ParseAdHoc reads the value of DirectoriesURI; nil names none. The error says what is
// wrong with it.
func ParseAdHoc(value json.RawMessage) ([]string, error) {
	if len(value) == 0 {
		return nil, nil
	}
	root, faults := jsontree.Parse(text.Shared(value), 2*maxAdHoc)
	if len(faults) > 0 || root.Kind != jsontree.Array {
		return nil, errors.New(`it must be an array of paths, as in ["/home/ann/drafts"]`)
	}
	if len(root.Children) > maxAdHoc {
		return nil, fmt.Errorf("it has %d directories, and %d are the most", len(root.Children), maxAdHoc)
	}
	dirs := make([]string, len(root.Children))
	for i := range root.Children {
		d := root.Children[i].Str()
		if !filepath.IsAbs(d) || filepath.Clean(d) != d || strings.ContainsRune(d, 0) {
			return nil, fmt.Errorf("/%d must be an absolute path without .., // or a slash at its end", i)
		}
		dirs[i] = strings.Clone(d)
	}
	return dirs, nil
}
