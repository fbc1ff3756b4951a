package option_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
)

// TestZebraRows reads options on two background colours in turn: all of them are options, at
// each look.
func TestZebraRows(t *testing.T) {
	rows := []string{unseen + "Which one?"}
	for i := range 6 {
		pointer := ' '
		if i == 2 {
			pointer = '❯'
		}
		rows = append(rows, fmt.Sprintf("\x1b[48;5;%dm%c %c      \x1b[m", 236+i%2, pointer, 'A'+i))
	}
	s := drawn(append(rows, "↑↓ navigate")...)
	for range 50 {
		set, ok := option.Read(s)
		if !ok || len(set.Options) != 6 || set.Marked != 2 {
			t.Fatalf("%v: %+v", ok, set)
		}
	}
}

// TestWideCharactersInABox reads a dialog whose left side stands after wide characters, and
// whose buttons have wide labels.
func TestWideCharactersInABox(t *testing.T) {
	for about, rows := range map[string][]string{
		"inside": {"┌──────────────────┐", "│ 你好?            │", "│                  │", "│ <Yes>   <取消>   │", "└──────────────────┘\x1b[A\x1b[15G"},
		"before": {"    ┌──────────────────┐", "    │ Go on?           │", "    │                  │", "你好│ <Yes>   <取消>   │", "    └──────────────────┘\x1b[A\x1b[19G"},
	} {
		set, ok := option.Read(drawn(rows...))
		if !ok || len(set.Options) != 2 || set.Marked != 1 || set.Options[1].Label != "取消" {
			t.Errorf("%s: %v %+v", about, ok, set)
		}
	}
}

// TestFaintRemarks reads labels whose end is fainter than their beginning: it is no part of the
// label, however it is made faint.
func TestFaintRemarks(t *testing.T) {
	for _, faint := range []string{"2", "90"} {
		rows := strings.ReplaceAll("  green \x1b[Fm(sour)\x1b[m", "F", faint)
		set, ok := option.Read(drawn(unseen+"Which one?", "❯ red", rows, "↑↓ navigate"))
		if !ok || len(set.Options) != 2 || set.Options[1].Label != "green" {
			t.Errorf("%s: %v %+v", faint, ok, set)
		}
	}
	set, ok := option.Read(drawn(unseen+"Which one?", "❯ red", "  green \x1b[34m(sour)\x1b[m", "↑↓ navigate"))
	if !ok || set.Options[1].Label != "green (sour)" {
		t.Errorf("%v %+v", ok, set)
	}
}
