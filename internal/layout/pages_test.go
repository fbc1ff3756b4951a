package layout

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

const module = "github.com/a2a-sidecar/sidecar"

// TestOneMechanism: which characters a terminal obeys or hides, how JSON escapes, how
// files are followed, and where nobody may be sent are each said in one place.
func TestOneMechanism(t *testing.T) {
	homes := map[string][]string{
		"internal/text/":     {"unicode.Bidi_Control", "unicode.Cf", "0x202a", "0x2066", "u202a", "u2066", "SetEscapeHTML"},
		"internal/follow/":   {"fsnotify/fsnotify"},
		"internal/netguard/": {"IsLinkLocalUnicast"},
	}
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for home, marks := range homes {
			for _, m := range marks {
				if strings.Contains(string(source), m) && !strings.HasPrefix(path, home) {
					t.Errorf("%s has %s: use %s", path, m, strings.TrimSuffix(home, "/"))
				}
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestHelpListsEverySetting holds the tables of the settings' page to the settings
// that exist: `go test -run Setting ./internal/layout -update` writes them.
func TestHelpListsEverySetting(t *testing.T) {
	keep(t, "sidecar/cli/help/settings.md", "settings: kept by TestHelpListsEverySetting", settingsTables())
}

// settingsTables are a table for each group of settings.
func settingsTables() string {
	var b strings.Builder
	cell := func(s string) string {
		if s == "" {
			return ""
		}
		return "`" + strings.ReplaceAll(s, "|", "\\|") + "`"
	}
	group := ""
	for _, s := range config.Settings() {
		if s.Group != group {
			group = s.Group
			fmt.Fprintf(&b, "\n## %s\n\n| flag | | default | variable |\n|---|---|---|---|\n", group)
		}
		name := cell("--" + strings.TrimSpace(s.Name+" "+s.Value))
		if s.Rare {
			name += " \\*"
		}
		env := cell(s.Env())
		if s.Platform != "" {
			env += ", " + cell(s.Platform)
		}
		def := s.DefaultText()
		if def == s.Default {
			def = cell(def)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, strings.ReplaceAll(s.Doc, "|", "\\|"), def, env)
	}
	return b.String() + "\n"
}

// codePath is what a page writes as `code` when it means a file or a folder of this
// repository.
var codePath = regexp.MustCompile("`((?:a2a|manifest|proc|sidecar|internal|examples|\\.ci|\\.github)/[a-z0-9_./-]*)`")

// link is a relative link of a page.
var link = regexp.MustCompile(`\]\(([^):#]+)[^):]*\)`)

// TestPagesNameWhatExists: a page that sends a reader to a file that has moved
// sends nobody anywhere.
func TestPagesNameWhatExists(t *testing.T) {
	err := filepath.WalkDir(".", func(page string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "node_modules") {
			return cmp.Or(err, filepath.SkipDir)
		}
		if filepath.Ext(page) != ".md" || page == "CHANGELOG.md" {
			return nil
		}
		text, err := os.ReadFile(page)
		named := codePath.FindAllStringSubmatch(string(text), -1)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			named = append(named, []string{"", filepath.Join(filepath.Dir(page), m[1])})
		}
		for _, m := range named {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// promised is what does not exist: images, releases and downloads of ours.
var promised = []string{"ghcr.io", "docker.io/a2a", "/releases/", "go install github.com", "docker pull"}

// TestNothingIsNamedThatIsNotThere: whoever follows the README, an example or the
// Dockerfile builds what it names.
func TestNothingIsNamedThatIsNotThere(t *testing.T) {
	files := []string{"README.md", "Dockerfile"}
	for _, pattern := range []string{"examples/*/*", "sidecar/cli/help/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.IsDir() {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range promised {
			if strings.Contains(string(text), name) {
				t.Errorf("%s names %s", f, name)
			}
		}
	}
}

// TestMakeInstall puts the binary where the README says.
func TestMakeInstall(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("needs make")
	}
	root := t.TempDir()
	cmd := exec.Command("make", "install", "DESTDIR="+root, "PREFIX=/opt/x", "VERSION=v1.2.3-test")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(filepath.Join(root, "opt/x/bin/sidecar"), "version").Output()
	if err != nil || !strings.Contains(string(out), "v1.2.3-test") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestHelpsToolRuns: the manifest on the page about tools is good as it stands, and
// its program is there.
func TestHelpsToolRuns(t *testing.T) {
	file, err := os.ReadFile("sidecar/cli/help/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(file), "\n    [{")
	text, _, end := strings.Cut(rest, "\n    }]")
	if !ok || !end {
		t.Fatal("no manifest on the page")
	}
	path := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(path, []byte("[{"+text+"}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", ".", "validate", path).CombinedOutput()
	if err != nil || strings.Contains(string(out), "warning") {
		t.Errorf("%v: %s", err, out)
	}
}
