package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestTopicsFitATerminal: each page is a topic, and each line of it can be read at
// 80 columns.
func TestTopicsFitATerminal(t *testing.T) {
	files, err := filepath.Glob("help/*.md")
	if err != nil || len(files) != len(topics()) {
		t.Errorf("%d files of %d topics, %v", len(files), len(topics()), err)
	}
	for _, topic := range topics() {
		var b strings.Builder
		if !writeTopic(&b, topic.name) || strings.Count(b.String(), "\n") < 10 {
			t.Errorf("%s: %q", topic.name, b.String())
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if width(line) > pageWidth {
				t.Errorf("%s: %d columns: %s", topic.name, width(line), line)
			}
		}
	}
}

// TestTopicsNameWhatIsThere: every flag, command, topic and file that a page names
// exists.
func TestTopicsNameWhatIsThere(t *testing.T) {
	root := newRoot(Std{}, nil)
	names, flags := map[string]bool{}, map[string]bool{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		names[c.Name()] = true
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
	names["help"] = true
	// Flags of claude, and an example of a name.
	flags["settings"], flags["mcp-config"], flags["allowed"], flags["x-y"] = true, true, true, true
	flag := regexp.MustCompile("(?:^|[ `(])--([a-z][a-z-]*[a-z])")
	command := regexp.MustCompile(`(?m)(?:^ {4}|[` + "`" + `(;|$] ?)sidecar ([a-z]+)`)
	link := regexp.MustCompile(`\]\(([^)#]+)\)`)
	for _, topic := range topics() {
		text, err := os.ReadFile(filepath.Join("help", topic.name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range flag.FindAllStringSubmatch(string(text), -1) {
			if !flags[m[1]] {
				t.Errorf("%s: there is no flag --%s", topic.name, m[1])
			}
		}
		for _, m := range command.FindAllStringSubmatch(string(text), -1) {
			if !names[m[1]] {
				t.Errorf("%s: there is no command %s", topic.name, m[1])
			}
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join("help", m[1])); err != nil {
				t.Errorf("%s: %v", topic.name, err)
			}
		}
	}
}

// TestPlain: what a page may have, as a terminal shows it.
func TestPlain(t *testing.T) {
	got := plain(`# A title

One **word**, a [page](push.md) and a [file](../../x.go), and enough of it that the line has to be folded somewhere.

* an item
  of two lines
* another

1. **first**, with ` + "`a/**`" + `
   and more
2. second

    code   as it is

| a | b |
|---|---|
| x \| y | z |

| name | | default |
|---|---|---|
| one that is long enough to make the table wide | what it does, in so many words that they do not fit | 5 |
`)
	want := `A TITLE

One word, a page (sidecar help push) and a file, and enough of it that the line
has to be folded somewhere.

  * an item of two lines
  * another

  1. first, with ` + "`a/**`" + ` and more
  2. second

    code   as it is

a      b
x | y  z

one that is long enough to make the table wide
    what it does, in so many words that they do not fit
    default: 5
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
