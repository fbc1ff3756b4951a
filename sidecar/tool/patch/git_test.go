package patch_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/tool/patch"
)

// repository is one of git's in a directory.
type repository struct {
	t   *testing.T
	dir string
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "HOME="+r.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

// What git writes of changes, additions, removals and renames makes of the one tree the other.
func TestGitDiffs(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 20 {
		r := &repository{t, t.TempDir()}
		r.git("init", "-q")
		names := []string{"plain", "with space", "ümlaut", "tab\tand\"quote\\", "dir/deep/x", "b/a", "line\nfeed"}
		before := map[string]string{}
		for i, name := range names {
			before[name] = someLines(random, i, []string{"\n", "\r\n"}[random.IntN(2)])
		}
		r.commit(before)
		after := map[string]string{"new": "a\nb", "empty": "", "dir/new": "x\n"}
		for _, name := range names {
			switch random.IntN(4) {
			case 0: // removed
			case 1:
				after["renamed"+name] = before[name]
			default:
				lines := strings.SplitAfter(before[name], "\n")
				for range random.IntN(4) + 1 {
					line := []string{"", "-- a/x\n", "++ b/x\n", "changed\nand more\n", "@@ -1 +1 @@\n", "\n"}[random.IntN(6)]
					if round%2 == 0 && strings.Contains(before[name], "\r\n") {
						line = strings.ReplaceAll(line, "\n", "\r\n")
					}
					lines[random.IntN(len(lines))] = line
				}
				after[name] = strings.Join(lines, "")
			}
		}
		r.commit(after)
		for _, args := range [][]string{{"-M"}, {"-U1"}, {"-U0"}, {"-M", "--patience", "-U10"}, {"-M", "--no-prefix"}} {
			if args[len(args)-1] == "--no-prefix" && before["b/a"] != after["b/a"] {
				continue // a/ and b/ are names there
			}
			if args[0] == "-U0" && round%2 == 1 {
				continue // nothing shows the line ending of what is added
			}
			diff := r.git(append([]string{"diff", "HEAD~1", "HEAD"}, args...)...)
			got, err := patched(t, before, diff)
			if err != nil && args[0] == "-U0" && strings.Contains(err.Error(), "two lines that may be") {
				continue // without context nothing tells a hunk that ends so from the next file
			}
			if err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", after) {
				t.Errorf("round %d, %q: %v\n%q, want\n%q\n%s", round, args, err, got, after, diff)
			}
		}
	}
}

// commit makes a tree, and commits it.
func (r *repository) commit(tree map[string]string) {
	r.t.Helper()
	r.git("rm", "-rfq", "--ignore-unmatch", ".")
	for name, content := range tree {
		path := filepath.Join(r.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-qm", "x")
}

func someLines(random *rand.Rand, file int, end string) string {
	var b strings.Builder
	for i := range random.IntN(60) + 5 {
		fmt.Fprintf(&b, "%d of %d%s", i*random.IntN(2), file, end)
	}
	return strings.TrimSuffix(b.String(), []string{"", end}[random.IntN(2)])
}

// patched returns the tree after a patch.
func patched(t *testing.T, before map[string]string, diff string) (map[string]string, error) {
	files, err := patch.Parse(diff)
	if err != nil {
		return nil, err
	}
	after := map[string]string{}
	for name, content := range before {
		after[name] = content
	}
	for _, f := range files {
		now, moved, err := patch.Apply(t.Context(), before[f.Old], f.Hunks)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Old, err)
		}
		if len(moved) > 0 {
			t.Errorf("%s: %v", f.Old, moved)
		}
		delete(after, f.Old)
		if f.New != "" {
			after[f.New] = now
		} else if now != "" {
			t.Errorf("%s is left with %q", f.Old, now)
		}
	}
	return after, nil
}
