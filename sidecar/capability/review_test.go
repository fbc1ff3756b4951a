package capability_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/capability"
)

// linked are files in which /lib leads to /usr/lib.
type linked struct{ plain }

func (linked) Resolve(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "/lib"); ok {
		path = "/usr/lib" + rest
	}
	return filepath.Clean(path), nil
}

func TestReview(t *testing.T) {
	const exec = `"bridge":{"exec":{"command":["git","log"]}}`
	for x, want := range map[string][]string{
		`{` + exec + `}`:                                                      {`/x-sidecar "requires" is absent: the tool may run "git", read {workspace}, write it and reach no host`},
		`{` + exec + `,"effects":"read"}`:                                     {`the tool may run "git", read {workspace} and reach no host`},
		`{` + exec + `,"requires":{}}`:                                        nil,
		`{"effects":"read"}`:                                                  nil,
		`{` + exec + `,"requires":{"shell":[{"cmd":"ls"}]}}`:                  {`/x-sidecar/requires/shell the tool's own command is not among these`},
		`{` + exec + `,"requires":{"shell":[{"cmd":"git","args":["push"]}]}}`: {`/x-sidecar/requires/shell`},
		`{` + exec + `,"requires":{"shell":[{"cmd":"git","args":["log"]}]}}`:  nil,
		`{"bridge":{"exec":{"command":["git","{path}"]}},"requires":{"shell":[{"cmd":"git","args":["x"]}]}}`: nil,
		`{"bridge":{"exec":{"command":["git","{path}"]}},"requires":{"shell":[{"cmd":"ls"}]}}`:               {"/x-sidecar/requires/shell"},
		`{"bridge":{"http":{"url":"https://a.example"}},"requires":{"net":{"hosts":["b.example"]}}}`:         {"/x-sidecar/requires/net/hosts the tool's own host"},
		`{"bridge":{"http":{"url":"https://a.example"}},"requires":{"net":{"hosts":["*.example"]}}}`:         nil,
		`{"uses":{"fs.write":["/path"],"net.fetch":["/url"]},"effects":"read"}`:                              {"/x-sidecar/uses/fs.write the tool requires nothing of this", "/x-sidecar/uses/net.fetch"},
		`{"uses":{"fs.write":["/path"]}}`: nil,
		`{"requires":{"fs":{"read":["{workspace}","a/**","{workspace}/src/**/*.go","*"],"write":["/opt/*"]}}}`: {
			`/x-sidecar/requires/fs/read/2 a sandbox allows all of "{workspace}/src"`, `/x-sidecar/requires/fs/read/3 a sandbox allows all of "{workspace}"`, `/x-sidecar/requires/fs/write/0 a sandbox allows all of "/opt"`,
		},
		`{"requires":{"fs":{"read":["/lib/x","/usr"]}}}`: {`/x-sidecar/requires/fs/read/0 "/lib/x" leads through a link, and links of a pattern are not followed; write "/usr/lib/x"`},
	} {
		remarks := capability.Review(tool(t, x), linked{})
		if len(remarks) != len(want) {
			t.Errorf("%s: %+v", x, remarks)
			continue
		}
		for i, r := range remarks {
			if said := r.Pointer + " " + r.Message + "; " + r.Hint; !strings.HasPrefix(said, want[i]) && !strings.Contains(said, want[i]) {
				t.Errorf("%s: %q, want %q", x, said, want[i])
			}
		}
	}
}
