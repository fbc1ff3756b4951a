package option_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
)

// FuzzRead holds that the options of any screen are sound, and the same at a second look.
func FuzzRead(f *testing.F) {
	for _, file := range golden.Files(f, "testdata/screens/*.cast", 30) {
		f.Add(strings.Join(outputs(f, file), ""), 0, 0)
	}
	f.Add("? Which?\r\n❯ 1. a\r\n  2. b\x1b[?25l", 1, 1)
	f.Add("Proceed? [y/n/t] ", 0, 17)
	f.Fuzz(func(t *testing.T, drawn string, row, column int) {
		s := term.New(term.Options{Cols: 80, Rows: 24})
		_, _ = s.Write([]byte(drawn)) // never fails
		snap := s.Snapshot()
		if row > 0 && row < 24 && column > 0 && column < 80 {
			snap.CursorRow, snap.CursorCol = row, column
		}
		set, ok := option.Read(snap)
		if again, _ := option.Read(snap); !reflect.DeepEqual(set, again) {
			t.Fatalf("%+v, and then %+v", set, again)
		}
		if !ok {
			return
		}
		if len(set.Options) == 0 || set.Marked < -1 || set.Marked >= len(set.Options) || (set.Axis == option.Typed) != (set.Options[0].Type != "") {
			t.Fatalf("%+v", set)
		}
		ids := map[string]bool{}
		for _, o := range set.Options {
			if o.Label == "" || o.ID == "" || ids[o.ID] || strings.ContainsAny(o.Label+o.Type, "\x1b\r\n\x00") {
				t.Fatalf("%+v", set)
			}
			ids[o.ID] = true
		}
	})
}
