package option_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
)

// TestRecordings plays the screens of real programs that ask, and compares the options that
// stand there before each key, and at the end, with the file beside the recording. With -update
// it writes these files: look at every line of the difference.
func TestRecordings(t *testing.T) {
	golden.Each(t, "testdata/screens/*.cast", 30, func(t *testing.T, cast string) {
		file, err := os.Open(cast)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		header, events, err := term.ReadCast(file)
		if err != nil {
			t.Fatal(err)
		}
		s := term.New(term.Options{Cols: header.Cols, Rows: header.Rows})
		var b strings.Builder
		for e, err := range events {
			if err != nil {
				t.Fatal(err)
			}
			switch e.Kind {
			case term.CastOutput:
				_, _ = s.Write([]byte(e.Data)) // never fails
			case term.CastInput:
				b.WriteString(told(s.Snapshot()))
				fmt.Fprintf(&b, "key %q\n", e.Data)
			}
		}
		b.WriteString(told(s.Snapshot()))
		golden.Same(t, golden.Beside(cast, ".options"), b.String())
	})
}

// told returns the options of a screen, one a line.
func told(s term.Snapshot) string {
	set, ok := option.Read(s)
	if !ok {
		return "nothing is asked\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %q", set.Rule, set.Text)
	if set.Detail != "" {
		fmt.Fprintf(&b, " in %q", set.Detail)
	}
	b.WriteByte('\n')
	for i, o := range set.Options {
		mark := ' '
		if i == set.Marked {
			mark = '>'
		}
		box := ""
		if o.Box {
			box = "[ ] "
		}
		if o.Checked {
			box = "[x] "
		}
		fmt.Fprintf(&b, "%c %s%s %q", mark, box, o.ID, o.Label)
		if o.Type != "" {
			fmt.Fprintf(&b, " typed as %q", o.Type)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// outputs returns what the program of a recording has written.
func outputs(t testing.TB, cast string) (all []string) {
	file, err := os.Open(cast)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, events, err := term.ReadCast(file)
	for e, fault := range events {
		if fault == nil && e.Kind == term.CastOutput {
			all = append(all, e.Data)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}
