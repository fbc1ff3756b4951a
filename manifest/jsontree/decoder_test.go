package jsontree_test

import (
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// What is not as wanted is told with its place and the fix, and what is right is read.
func TestDecoder(t *testing.T) {
	const src = `{"names":["a",1,"b"],"mode":"alow","word":2,"list":{},"nmaes":[]}`
	root, faults := jsontree.ParseFile("file.json", []byte(src))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	d := jsontree.Decoder{Subject: "acme.echo"}
	var seen, names []string
	d.Members(&root, "", []string{"names", "mode", "word", "list"}, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "names":
			names = d.Texts(m, p, func(s string, _ *jsontree.Node, p string) { seen = append(seen, p+"="+s) })
		case "mode":
			d.OneOf(m, p, "allow", "deny")
		case "word":
			if s, ok := d.Text(m, p); ok {
				t.Errorf("a number is read as the string %q", s)
			}
		case "list":
			if got := d.Texts(m, p, nil); got != nil {
				t.Errorf("an object is read as the strings %q", got)
			}
		}
	})
	d.Warn(root.Offset, "", "it is old", "")
	if want := []string{"a", "", "b"}; !slices.Equal(names, want) {
		t.Errorf("the names are %q, want %q", names, want)
	}
	if want := []string{"/names/0=a", "/names/2=b"}; !slices.Equal(seen, want) {
		t.Errorf("checked were %q, want %q", seen, want)
	}
	want := `file.json:1:15: /names/1: must be a string, not a number
file.json:1:29: /mode: must be "allow" or "deny", not "alow"; hint: write "allow"
file.json:1:43: /word: must be a string, not a number
file.json:1:52: /list: must be an array of strings, not an object
file.json:1:55: /nmaes: the key "nmaes" is unknown here; hint: write "names"`
	if got := jsontree.Locate("file.json", src, d.Faults).Error(); got != want {
		t.Errorf("the faults are\n%s\nwant\n%s", got, want)
	}
	if d.Faults[0].Subject != "acme.echo" || len(d.Warnings) != 1 || d.Warnings[0].Subject != "acme.echo" {
		t.Errorf("the faults %+v and warnings %+v do not name their subject", d.Faults, d.Warnings)
	}
}
