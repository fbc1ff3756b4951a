package server_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a2a-sidecar/sidecar/internal/golden"
)

// The indexes testdata/conformance/index-VERSION.txt list what a specification
// asks of a server, one requirement a line, five columns:
//
//	ID | SECTION | LEVEL | what is asked, in our words | proof; proof; …
//
// An ID never changes and is never used again. The level is the one of the
// specification: MUST (with MUST NOT, SHALL and REQUIRED) or SHOULD (with
// SHOULD NOT and RECOMMENDED). A proof is one of
//
//	1.0/list.txtar#by state      a request of a transcript below testdata/conformance or testdata
//	sidecar/task.TestX           a test of a package, by its directory in the repository
//	a2a/server.TestX/what it says       a subtest of it: the name is a string in the package's tests
//	reason: why there is no test, as the only one
//
// Empty lines and those that begin with # are comments.
type requirement struct {
	id, section, level, words string
	proofs                    []string
	reason                    string
}

var (
	requirementID      = regexp.MustCompile(`^(10|03)-[A-Z0-9]+(-[A-Z0-9]+)*$`)
	requirementSection = regexp.MustCompile(`^§[0-9A-Z]+(\.[0-9]+)*(, §[0-9A-Z]+(\.[0-9]+)*)*$`)
)

// parseIndex returns the requirements of an index, and what is wrong with it.
func parseIndex(text string) (reqs []requirement, faults []string) {
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("line %d: ", i+1)+fmt.Sprintf(format, args...))
		}
		columns := strings.Split(line, " | ")
		if len(columns) != 5 {
			fault("has %d columns, not 5", len(columns))
			continue
		}
		for i := range columns {
			columns[i] = strings.TrimSpace(columns[i])
		}
		r := requirement{id: columns[0], section: columns[1], level: columns[2], words: columns[3]}
		switch {
		case !requirementID.MatchString(r.id):
			fault("%q is no id such as 10-SEND-1", r.id)
		case seen[r.id]:
			fault("%s is there twice", r.id)
		case !requirementSection.MatchString(r.section):
			fault("%q is no section such as §3.1.2", r.section)
		case r.level != "MUST" && r.level != "SHOULD":
			fault("%q is no level: MUST or SHOULD", r.level)
		case len(r.words) < 10:
			fault("%s does not say what is asked", r.id)
		}
		seen[r.id] = true
		if reason, ok := strings.CutPrefix(columns[4], "reason:"); ok {
			if r.reason = strings.TrimSpace(reason); len(r.reason) < 20 {
				fault("%s gives no reason", r.id)
			}
		} else {
			r.proofs = strings.Split(columns[4], "; ")
		}
		reqs = append(reqs, r)
	}
	return reqs, faults
}

// TestConformanceIndex holds the indexes to the tests: a proof that does not
// exist fails, and so does a transcript that proves nothing.
func TestConformanceIndex(t *testing.T) {
	known := newProofs()
	for _, file := range golden.Files(t, "testdata/conformance/index-*.txt", 1) {
		reqs, faults := parseIndex(golden.Read(t, file))
		for _, f := range faults {
			t.Errorf("%s: %s", file, f)
		}
		var must, reasons int
		named := map[string]bool{}
		for _, r := range reqs {
			if r.level == "MUST" {
				must++
			}
			if r.reason != "" {
				reasons++
			}
			for _, proof := range r.proofs {
				if err := known.find(proof); err != nil {
					t.Errorf("%s: %s: %v", file, r.id, err)
				}
				transcript, _, _ := strings.Cut(proof, "#")
				named[transcript] = true
			}
		}
		t.Logf("%s: %d requirements, %d of them MUST; %d with a reason instead of a test", file, len(reqs), must, reasons)
		version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "index-"), ".txt")
		for _, transcript := range transcripts(t, version) {
			if !named[transcript] {
				t.Errorf("%s names nothing of %s", file, transcript)
			}
		}
	}
}

// transcripts lists what lies below the version's folder, as proofs name it.
func transcripts(t *testing.T, version string) []string {
	t.Helper()
	var all []string
	root := os.DirFS("testdata/conformance")
	err := fs.WalkDir(root, version, func(name string, _ fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".txtar" {
			all = append(all, name)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return all
}

// proofs knows the tests of the repository by the directory of their package,
// each read when it is first asked for.
type proofs struct {
	packages map[string]*testPackage
}

type testPackage struct {
	tests   []string
	strings map[string]bool
}

func newProofs() *proofs { return &proofs{packages: map[string]*testPackage{}} }

// find returns an error when there is no such test.
func (p *proofs) find(proof string) error {
	if file, request, ok := strings.Cut(proof, "#"); ok {
		return findRequest(file, request)
	}
	dir, name, ok := strings.Cut(proof, ".")
	if !ok {
		return fmt.Errorf("%q is no proof such as sidecar/task.TestX or 1.0/list.txtar#by state", proof)
	}
	name, sub, hasSub := strings.Cut(name, "/")
	pkg, err := p.load(dir)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", proof, err)
	case !slices.Contains(pkg.tests, name):
		return fmt.Errorf("%s: there is no such test", proof)
	case hasSub && !pkg.strings[strings.ReplaceAll(sub, "_", " ")]:
		return fmt.Errorf("%s: the tests of %s say %q nowhere", proof, dir, sub)
	}
	return nil
}

func findRequest(file, request string) error {
	text, err := os.ReadFile("testdata/conformance/" + file)
	if err != nil {
		if text, err = os.ReadFile("testdata/" + file); err != nil {
			return err
		}
	}
	for _, f := range txtar.Parse(text).Files {
		if f.Name == "request "+request {
			return nil
		}
	}
	return fmt.Errorf("%s has no request %q", file, request)
}

func (p *proofs) load(dir string) (*testPackage, error) {
	if pkg := p.packages[dir]; pkg != nil {
		return pkg, nil
	}
	files, err := filepath.Glob(filepath.Join("..", "..", dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("there are no tests in %s", dir)
	}
	pkg := &testPackage{strings: map[string]bool{}}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && (strings.HasPrefix(n.Name.Name, "Test") || strings.HasPrefix(n.Name.Name, "Fuzz")) {
					pkg.tests = append(pkg.tests, n.Name.Name)
				}
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					if s, err := strconv.Unquote(n.Value); err == nil {
						pkg.strings[strings.ReplaceAll(s, "_", " ")] = true
					}
				}
			}
			return true
		})
	}
	p.packages[dir] = pkg
	return pkg, nil
}

// TestConformanceIndexFaults: the check finds what it is there to find.
func TestConformanceIndexFaults(t *testing.T) {
	for _, tc := range []struct{ line, want string }{
		{"10-A-1 | §3.1 | MUST | it answers as asked", "columns"},
		{"10 A | §3.1 | MUST | it answers as asked | a2a/server.TestTranscripts", "no id"},
		{"10-A-1 | 3.1 | MUST | it answers as asked | a2a/server.TestTranscripts", "no section"},
		{"10-A-1 | §3.1 | MAY | it answers as asked | a2a/server.TestTranscripts", "no level"},
		{"10-A-1 | §3.1 | MUST | short | a2a/server.TestTranscripts", "does not say"},
		{"10-A-1 | §3.1 | MUST | it answers as asked | reason: none", "no reason"},
		{"10-A-1 | §3.1 | MUST | it answers as asked | a2a/server.TestTranscripts\n10-A-1 | §3.2 | MUST | it answers again | a2a/server.TestTranscripts", "twice"},
	} {
		_, faults := parseIndex(tc.line)
		if got := strings.Join(faults, "\n"); !strings.Contains(got, tc.want) {
			t.Errorf("%s: found %q, not %q", tc.line, got, tc.want)
		}
	}
	known := newProofs()
	for _, proof := range []string{
		"a2a/server.TestNothingOfThisName", "a2a/server.TestTranscripts/no such " + "subtest", "nowhere.TestTranscripts", "TestTranscripts",
		"jsonrpc10/send.txtar#no such request", "1.0/nothing.txtar#request",
	} {
		if known.find(proof) == nil {
			t.Errorf("the proof %s was found", proof)
		}
	}
	for _, proof := range []string{"a2a/server.TestTranscripts", "a2a/server.TestConformanceIndexFaults/twice", "jsonrpc10/send.txtar#blocking"} {
		if err := known.find(proof); err != nil {
			t.Error(err)
		}
	}
}
