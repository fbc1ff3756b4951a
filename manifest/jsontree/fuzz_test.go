package jsontree_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// FuzzParseFile: what is accepted is JSON with the value that encoding/json reads,
// every value stands where its offsets say, and a fault has a place in the file.
func FuzzParseFile(f *testing.F) {
	f.Add([]byte(`{"a":[1,-2.5e3,"\u00e9\n",true,null,{}],"b~/":{"c":""}}`))
	f.Add([]byte("\ufeff[1,\n 2,]"))
	f.Add([]byte(`{"a" 1}`))
	f.Add([]byte(`["\ud800", nul, 'x'`))
	f.Fuzz(func(t *testing.T, src []byte) {
		root, faults := jsontree.ParseFile("f.json", src)
		for _, fault := range faults {
			if fault.Line < 1 || fault.Line > strings.Count(string(src), "\n")+1 || fault.Column < 1 || fault.Column > len(src)+1 {
				t.Errorf("a fault outside of the file: %v", fault)
			}
			if fault.Message == "" || strings.ContainsAny(fault.String(), "\n\r\x00\x1b\u202e") {
				t.Errorf("not one line: %q", fault.String())
			}
		}
		if len(faults) > 0 {
			return
		}
		text := strings.TrimPrefix(string(src), "\ufeff")
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil || !json.Valid([]byte(text)) {
			t.Fatalf("accepted: %v", err)
		}
		if got := root.Value(); !reflect.DeepEqual(got, want) {
			t.Errorf("read %#v, want %#v", got, want)
		}
		stands(t, src, &root, &root, "")
	})
}

// stands holds a value to its place, and its pointer to the value.
func stands(t *testing.T, src []byte, root, n *jsontree.Node, pointer string) {
	if !json.Valid(src[n.Offset:n.End]) {
		t.Errorf("%s stands at %q", pointer, src[n.Offset:n.End])
	}
	if root.At(pointer) != n || root.Closest(pointer+"/no such member/0") != n {
		t.Errorf("%q leads elsewhere", pointer)
	}
	for i := range n.Children {
		below := jsontree.Item(pointer, i)
		if n.Kind == jsontree.Object {
			below = jsontree.Child(pointer, n.Children[i].Key)
		}
		stands(t, src, root, &n.Children[i], below)
	}
}
