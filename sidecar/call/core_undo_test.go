package call_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
)

func TestUndo(t *testing.T) {
	for name, c := range map[string]struct {
		there map[string]string // before
		do    func(k *kept) string
		want  string
		then  map[string]string
	}{
		"a new file": {
			do:   func(k *kept) string { return k.write(nil, "d/new", "x") },
			want: "removed d/new", then: map[string]string{"d/new": ""},
		},
		"overwritten": {
			there: map[string]string{"a": "old\n"}, do: func(k *kept) string { return k.write(nil, "a", "new\n") },
			want: "restored a", then: map[string]string{"a": "old\n"},
		},
		"edited twice in one task": {
			there: map[string]string{"a": "one two"},
			do: func(k *kept) string {
				k.does(k.turn, "edit", map[string]any{"file_path": "a", "old_string": "one", "new_string": "1"})
				return k.does(k.turn, "edit", map[string]any{"file_path": "a", "old_string": "two", "new_string": "2"})
			},
			want: "restored a", then: map[string]string{"a": "one two"},
		},
		"made and edited in one task": {
			do: func(k *kept) string {
				k.write(k.turn, "a", "one")
				return k.does(k.turn, "edit", map[string]any{"file_path": "a", "old_string": "one", "new_string": "1"})
			},
			want: "removed a", then: map[string]string{"a": ""},
		},
		"several files, the last first": {
			there: map[string]string{"a": "1", "b": "2"},
			do: func(k *kept) string {
				k.write(k.turn, "a", "x")
				return k.write(k.turn, "b", "y")
			},
			want: "restored b; restored a", then: map[string]string{"a": "1", "b": "2"},
		},
		"bytes that are no text": {
			there: map[string]string{"a": "\x00\xff\x01"}, do: func(k *kept) string { return k.write(nil, "a", "text") },
			want: "restored a", then: map[string]string{"a": "\x00\xff\x01"},
		},
		"CRLF and a byte order mark": {
			there: map[string]string{"a": "\ufeffone\r\ntwo\r\n"},
			do: func(k *kept) string {
				return k.does(nil, "edit", map[string]any{"file_path": "a", "old_string": "two\n", "new_string": "2\n"})
			},
			want: "restored a", then: map[string]string{"a": "\ufeffone\r\ntwo\r\n"},
		},
		"a name in unicode": {
			there: map[string]string{"ä 文\u202e\n.txt": "old"}, do: func(k *kept) string { return k.write(nil, "ä 文\u202e\n.txt", "new") },
			want: "restored ä 文\u202e\n.txt", then: map[string]string{"ä 文\u202e\n.txt": "old"},
		},
		"an empty file": {
			there: map[string]string{"a": "x", "e": ""}, do: func(k *kept) string {
				k.write(k.turn, "e", "filled")
				return k.write(k.turn, "a", "")
			},
			want: "restored a; restored e", then: map[string]string{"a": "x"},
		},
		"changed since": {
			there: map[string]string{"a": "1", "b": "2"},
			do: func(k *kept) string {
				k.write(k.turn, "a", "x")
				defer k.put("b", "mine")
				return k.write(k.turn, "b", "y")
			},
			want: "refused b: changed since, by something other than these tools; restored a", then: map[string]string{"a": "1", "b": "mine"},
		},
		"removed since": {
			there: map[string]string{"a": "1"},
			do: func(k *kept) string {
				defer os.Remove(k.dir + "/a")
				return k.write(nil, "a", "x")
			},
			want: "refused a: changed since: it was removed by something other than these tools", then: map[string]string{"a": ""},
		},
		"changed in between by something else": {
			there: map[string]string{"a": "1"},
			do: func(k *kept) string {
				k.write(k.turn, "a", "x")
				k.put("a", "mine")
				k.ended(k.p.Start(call.Request{Tool: "core.read", Arguments: arguments(k.t, map[string]any{"file_path": "a"}), Caller: "ann", Within: k.turn}))
				return k.write(k.turn, "a", "y")
			},
			want: "refused a: changed since, by something other than these tools", then: map[string]string{"a": "y"},
		},
		"a link in its place": {
			there: map[string]string{"a": "1", "other": "x"},
			do: func(k *kept) string {
				defer func() {
					if err := errors.Join(os.Remove(k.dir+"/a"), os.Symlink("other", k.dir+"/a")); err != nil {
						k.t.Error(err)
					}
				}()
				return k.write(nil, "a", "x")
			},
			want: "refused a: a symbolic link has come into its way", then: map[string]string{"other": "x"},
		},
		"a directory in its place": {
			do: func(k *kept) string {
				defer func() {
					if err := errors.Join(os.Remove(k.dir+"/a"), os.Mkdir(k.dir+"/a", 0o755)); err != nil {
						k.t.Error(err)
					}
				}()
				return k.write(nil, "a", "x")
			},
			want: "refused a: it is a directory",
		},
		"longer than is kept": {
			there: map[string]string{"a": strings.Repeat("x", 1<<20+1)}, do: func(k *kept) string { return k.write(nil, "a", "short") },
			want: "refused a: what it had is not kept: it has 1048577 bytes, and --changes-file keeps 1MiB", then: map[string]string{"a": "short"},
		},
		"longer afterwards": {
			there: map[string]string{"a": "short"}, do: func(k *kept) string { return k.write(nil, "a", strings.Repeat("x", 1<<20+1)) },
			want: "restored a", then: map[string]string{"a": "short"},
		},
		"taken back already": {
			there: map[string]string{"a": "1"},
			do: func(k *kept) string {
				k.write(k.turn, "a", "x")
				id := k.write(k.turn, "a", "y")
				k.undo(changes.Query{Task: id}, false)
				return id
			},
			want: "unchanged a", then: map[string]string{"a": "1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKept(t, allowAll)
			for name, content := range c.there {
				k.put(name, content)
			}
			id := c.do(k)
			if did, _ := k.undo(changes.Query{Task: id}, true); did != c.want {
				t.Errorf("it would: %q, want %q", did, c.want)
			}
			if did, _ := k.undo(changes.Query{Task: id}, false); did != c.want {
				t.Errorf("%q, want %q", did, c.want)
			}
			for name, want := range c.then {
				k.has(name, want)
			}
		})
	}
}
