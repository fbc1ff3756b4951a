package call

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
)

func TestLimitsOfKnownTools(t *testing.T) {
	for _, tc := range []struct {
		tool manifest.Tool
		want outputLimit
	}{
		{manifest.Tool{Name: "read"}, outputLimit{bytes: 200_000}},
		{manifest.Tool{Name: "glob"}, outputLimit{bytes: 7, entries: 1000}},
		{manifest.Tool{Name: "grep"}, outputLimit{bytes: 7, entries: 200}},
		{manifest.Tool{Name: "bash"}, outputLimit{bytes: 200_000}},
		{manifest.Tool{Name: "web_fetch"}, outputLimit{bytes: 200_000}},
		{manifest.Tool{Name: "acme.read"}, outputLimit{bytes: 7}},
		{manifest.Tool{Name: "grep", MaxOutput: 5}, outputLimit{bytes: 5, entries: 200}},
		{manifest.Tool{Name: "read", MaxOutput: 5}, outputLimit{bytes: 5}},
	} {
		if got := outputLimitOf(&tc.tool, 7); got != tc.want {
			t.Errorf("%s with a limit of %d: %+v, want %+v", tc.tool.Name, tc.tool.MaxOutput, got, tc.want)
		}
	}
}

// A search is cut before the first entry too many, and lines that are no entries do not count.
func TestSearchEntries(t *testing.T) {
	if got := outputLimitOf(&manifest.Tool{Name: "core.grep", Bridge: manifest.Bridge{Kind: manifest.BridgeCore}}, 7); got != (outputLimit{bytes: 7, entries: 200, search: true}) {
		t.Errorf("the limit of grep: %+v", got)
	}
	const lines = "--\n a-1-x\na:2:y\n a-3-z\n--\na:9:y\nb:1:y\n\n b-2-z\n(No more.)\n"
	for entries, want := range map[int]string{1: "--\n a-1-x\na:2:y\n a-3-z\n", 2: "--\n a-1-x\na:2:y\n a-3-z\n--\na:9:y\n", 3: lines, 4: lines} {
		for size := 1; size <= len(lines); size++ {
			o := newSaid(outputLimit{bytes: 100, entries: entries, search: true}, nil, nil)
			live := ""
			for chunk := range slices.Chunk([]byte(lines), size) {
				live += string(o.write(chunk))
			}
			if o.text() != want || live != want || o.truncated() != (want != lines) {
				t.Errorf("%d entries in chunks of %d: %q, shown %q, truncated %t", entries, size, o.text(), live, o.truncated())
			}
		}
	}
}

// TestEntries cuts what a tool finds after its last entry, in whatever chunks it comes.
func TestEntries(t *testing.T) {
	const lines = "one\ntwo\nthree\nfour\n"
	for entries, want := range map[int]string{1: "one\n", 3: "one\ntwo\nthree\n", 4: lines, 5: lines} {
		for size := 1; size <= len(lines); size++ {
			o := newSaid(outputLimit{bytes: 100, entries: entries}, nil, nil)
			live := ""
			for rest := lines; rest != ""; {
				n := min(size, len(rest))
				live += string(o.write([]byte(rest[:n])))
				rest = rest[n:]
			}
			if o.text() != want || live != want || o.truncated() != (want != lines) {
				t.Errorf("%d entries in chunks of %d: %q, shown %q, truncated %t", entries, size, o.text(), live, o.truncated())
			}
		}
	}
	for data, want := range map[string]string{
		`[1,[2,3],{"a":4},5]`:               `[1,[2,3],{"a":4}`,
		`[1,2,3]`:                           `[1,2,3]`,
		`[]`:                                `[]`,
		`{"a":[1,2,3,4]}`:                   `{"a":[1,2,3,4]}`,
		`"` + strings.Repeat("x", 99) + `"`: `"` + strings.Repeat("x", 99),
	} {
		if got := string(outputLimit{bytes: 100, entries: 3}.cut([]byte(data))); got != want {
			t.Errorf("three items of %s: %s, want %s", data, got, want)
		}
	}
}
