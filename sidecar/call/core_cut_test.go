package call_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	core "github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// oneSkill is a skill with a text, and no files.
type oneSkill string

func (s oneSkill) Load(name string) *core.Skill {
	return &core.Skill{Name: name, Dir: "/s", Body: string(s)}
}
func (oneSkill) Find(string, int) []string          { return nil }
func (oneSkill) File(path string) (*os.File, error) { return nil, nil }
func (s oneSkill) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, string(s)) // a client that has gone
}

// What a tool says is cut at 200,000 bytes, and at no place in a character; the side file has all of it, byte by byte. A text
// of just so many bytes is not cut. Searches are cut at their entries: TestSearchesAreCutAtTheirEntries.
func TestEachToolIsCutToTheByte(t *testing.T) {
	const most = 200_000
	// The limit is in the middle of a character in one of them.
	contents := []string{strings.Repeat("grün☃\r\n", 30_000), "x" + strings.Repeat("ü", most), "xy" + strings.Repeat("☃", most), strings.Repeat("x", most-1) + "\n", strings.Repeat("x", most) + "\n"}
	numbered := func(s string) string {
		var b strings.Builder
		for i, line := range strings.SplitAfter(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
			if line != "" {
				fmt.Fprintf(&b, "%6d\t%s", i+1, line)
			}
		}
		return b.String()
	}
	for i, content := range contents {
		served := httptest.NewServer(oneSkill(content))
		set, err := core.NewSet([]string{core.Core}, "127.0.0.1:*")
		if err != nil {
			t.Fatal(err)
		}
		b := newCore(t, allowAll, withHost(t), deciding(policy.Allow), withOutputs(t, 1<<30), func(o *call.Options) {
			o.RuntimeDir, o.Skills, o.Tools = t.TempDir(), oneSkill(content), set
			o.Surface = func(*call.Request) *manifest.Snapshot { return set.Snapshot() }
		})
		b.put("f", content)
		const lines = 15_000
		b.put("lines", strings.Repeat("old ü\n", lines))
		for _, c := range []struct {
			id    string
			named map[string]any
			whole string
		}{
			{"read", map[string]any{"file_path": "f", "raw": true}, content},
			{"read", map[string]any{"file_path": "f"}, numbered(content)},
			{"bash", map[string]any{"command": "cat f"}, content},
			{"skill", map[string]any{"name": "s"}, "Skill s. Its folder is /s\n\n" + content},
			{"web_fetch", map[string]any{"url": served.URL}, content},
			{"edit", map[string]any{"file_path": "lines", "old_string": "old", "new_string": "new", "replace_all": true}, fmt.Sprintf("Edited lines: %[1]d replacements.\n--- a/lines\n+++ b/lines\n@@ -1,%[1]d +1,%[1]d @@\n", lines) +
				strings.Repeat("-old ü\n+new ü\n", lines)},
		} {
			_, e := b.file("ann", "one", c.id, c.named)
			if len(c.whole) <= most {
				var got string
				if err := json.Unmarshal(e.env.Data, &got); err != nil || got != c.whole || e.env.Metadata.Truncated {
					t.Errorf("%d, %s: %d bytes, truncated: %v", i, c.id, len(got), e.env.Metadata.Truncated)
				}
				continue
			}
			end := most
			for !utf8.RuneStart(c.whole[end]) {
				end--
			}
			if head, rest := e.head(), e.rest(); head != c.whole[:end] || rest != c.whole {
				t.Errorf("%d, %s: a head of %d bytes, want %d, and a side file of %d, want %d: %.200q", i, c.id, len(head), end, len(rest), len(c.whole), rest)
			}
		}
		served.Close()
	}
}
