package option_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
)

// TestButtonsBeforeAHint holds that buttons with a hint to their right are options for as long as
// they are there, that the one with another background is marked, and that the text above them
// beside the same line is the question.
func TestButtonsBeforeAHint(t *testing.T) {
	header, events := agenttest.Recording(t, "../opencode/testdata/permission.cast")
	s := term.New(term.Options{Cols: header.Cols, Rows: header.Rows})
	var seen []string
	for _, e := range events {
		if e.Kind != term.CastOutput {
			continue
		}
		_, _ = s.Write([]byte(e.Data)) // never fails
		snap := s.Snapshot()
		if !strings.Contains(snap.Text(), "enter confirm") {
			continue
		}
		set, ok := option.Read(snap)
		if !ok || set.Axis != option.Across || set.Marked < 0 {
			t.Fatalf("%v: %v %+v\n%s", e.At, ok, set, snap.Text())
		}
		if said := set.Text + " > " + set.Options[set.Marked].Label; !slices.Contains(seen, said) {
			seen = append(seen, said)
		}
		if len(set.Options) != 3 || set.Options[0].Label != "Allow once" || set.Options[2].Label != "Reject" {
			t.Errorf("%v: %+v", e.At, set)
		}
	}
	if want := "△ Permission required # Shell command > Allow once"; !slices.Contains(seen, want) {
		t.Errorf("it has read %q", seen)
	}
}

// TestHintIsNoButton holds that a row without two buttons, or without a marked one, is no question.
func TestHintIsNoButton(t *testing.T) {
	for _, row := range []string{
		"\x1b[7m Go \x1b[m       enter confirm", "Go   Stay       enter confirm", "\x1b[7mesc cancel\x1b[m   tab       enter confirm",
		"a row of a text    that ends with the words enter to confirm",
	} {
		if set, ok := option.Read(drawn(unseen+"Which?", "", row)); ok {
			t.Errorf("%q: %+v", row, set)
		}
	}
	set, ok := option.Read(drawn(unseen+"Which?", "", " \x1b[7m Go \x1b[m   Stay       enter confirm"))
	if !ok || len(set.Options) != 2 || set.Marked != 0 || set.Text != "Which?" {
		t.Errorf("%v %+v", ok, set)
	}
}
