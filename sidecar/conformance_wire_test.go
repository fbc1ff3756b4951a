package sidecar_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/internal/golden"
)

// TestConformance replays a2a/server/testdata/conformance/VERSION/sidecar/*.txtar, each
// against a sidecar of its own that keeps its tasks in memory, and one that keeps
// them on disk: what only the whole shows. The comment of a file
// names its sections and has the line "run: …", the arguments of `sidecar run`;
// $DIR in it is a directory with the file's members that are neither requests
// nor responses.
//
// Ids are <id1>, <id2> … in the order in which they first appear, in requests
// too, and so are page tokens, <page1> …; instants are <time>, durations <ms>. A request ends with its answer; a stream with its
// end.
func TestConformance(t *testing.T) {
	t.Parallel()
	golden.Each(t, "../a2a/server/testdata/conformance/*/sidecar/*.txtar", 1, func(t *testing.T, file string) {
		t.Run("in memory", func(t *testing.T) { replayConformance(t, file) })
		t.Run("on disk", func(t *testing.T) { replayConformance(t, file, "--state-dir", t.TempDir()) })
	})
}

func replayConformance(t *testing.T, file string, more ...string) {
	archive := golden.Archive(t, file)
	comment := string(archive.Comment)
	_, line, found := strings.Cut(comment, "run: ")
	line, _, _ = strings.Cut(line, "\n")
	if !found || !strings.Contains(comment, "§") {
		t.Fatalf("%s: the comment needs a section and a line that begins with run:", file)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "request ") && !strings.HasPrefix(f.Name, "response ") {
			writeFile(t, filepath.Join(dir, f.Name), string(f.Data))
		}
	}
	args := append(more, strings.Fields(strings.ReplaceAll(line, "$DIR", dir))...)
	r := runWith(t, []string{"SIDECAR=" + asScript(t)}, args...)
	addr := strings.TrimPrefix(r.url, "http://")
	ids := &names{}
	golden.Replay(t, file, func(request string) string {
		answer := a2atest.Exchange(t, addr, addr, ids.fill(request))
		return ids.hide(strings.ReplaceAll(answer, addr, "<host>"))
	})
}

var (
	anID      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	aPage     = regexp.MustCompile(`"nextPageToken": "[^"]+"`)
	aDuration = regexp.MustCompile(`"duration_ms": \d+`)
	aTag      = regexp.MustCompile(`(?m)^Etag: .*$`)
	aDate     = regexp.MustCompile(`(?m)^Last-Modified: .*$`)
	anInstant = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	aName     = regexp.MustCompile(`<(id|page)\d+>`)
)

// names gives the ids and page tokens of one transcript their names.
type names struct{ ids, pages []string }

func (n *names) hide(text string) string {
	text = aPage.ReplaceAllStringFunc(text, func(member string) string {
		token := strings.Split(member, `"`)[3]
		return `"nextPageToken": "` + nameOf(&n.pages, "page", token) + `"`
	})
	text = anID.ReplaceAllStringFunc(text, func(id string) string { return nameOf(&n.ids, "id", id) })
	text = aDuration.ReplaceAllString(text, `"duration_ms": "<ms>"`)
	text = aTag.ReplaceAllString(text, "Etag: <etag>")
	text = aDate.ReplaceAllString(text, "Last-Modified: <date>")
	return anInstant.ReplaceAllString(text, "<time>")
}

// nameOf is the name of a value, a new one when it is new.
func nameOf(known *[]string, kind, value string) string {
	i := slices.Index(*known, value)
	if i < 0 {
		i = len(*known)
		*known = append(*known, value)
	}
	return fmt.Sprintf("<%s%d>", kind, i+1)
}

func (n *names) fill(text string) string {
	values := map[string]string{}
	for i, id := range n.ids {
		values[fmt.Sprintf("<id%d>", i+1)] = id
	}
	for i, token := range n.pages {
		values[fmt.Sprintf("<page%d>", i+1)] = token
	}
	return aName.ReplaceAllStringFunc(text, func(name string) string {
		if value := values[name]; value != "" {
			return value
		}
		return name
	})
}
