package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// print prints what is known about one moment.
func (o *detectOptions) print(seen sighting) error {
	if o.json {
		return json.NewEncoder(o.std.Out).Encode(seen)
	}
	var b strings.Builder
	if seen.At != nil {
		fmt.Fprintf(&b, "%9.3f ", *seen.At)
	}
	state := string(seen.State)
	if seen.Kind != "" {
		state += " (" + seen.Kind + ")"
	}
	fmt.Fprintf(&b, "%-20s", state)
	switch {
	case seen.Rule != "" && seen.Generic:
		fmt.Fprintf(&b, " %s: %s, a rule for every agent", seen.Source, seen.Rule)
	case seen.Rule != "":
		fmt.Fprintf(&b, " %s: %s", seen.Source, seen.Rule)
	default:
		b.WriteString(" no rule of " + seen.Profile + " fits")
	}
	if seen.Confidence > 0 {
		fmt.Fprintf(&b, " (%.1f)", seen.Confidence)
	}
	b.WriteByte('\n')
	if seen.Hint != "" {
		fmt.Fprintf(&b, "          hint: %s\n", seen.Hint)
	}
	if seen.Input != nil && *seen.Input != "" {
		fmt.Fprintf(&b, "          input: %q\n", *seen.Input)
	}
	if seen.Shows != nil {
		fmt.Fprintf(&b, "          the screen alone: %s: %s\n", seen.Shows.State, seen.Shows.Rule)
	}
	if seen.Event != "" {
		fmt.Fprintf(&b, "          %s\n", seen.Event)
	}
	if q := seen.Question; q != nil {
		fmt.Fprintf(&b, "          %s: %s\n", q.Kind, q.Text)
		for line := range strings.SplitSeq(q.Detail, "\n") {
			if line != "" {
				fmt.Fprintf(&b, "          | %s\n", line)
			}
		}
		for _, op := range q.Options {
			fmt.Fprintf(&b, "          %s. %s [%s]", op.ID, op.Label, op.Kind)
			if len(op.Keys) > 0 {
				fmt.Fprintf(&b, " keys %q", op.Keys)
			}
			b.WriteByte('\n')
		}
		switch {
		case q.Axis != "" && q.Marked != "":
			fmt.Fprintf(&b, "          chosen by moving the marker (%s); marked: %s\n", q.Axis, q.Marked)
		case q.Axis != "":
			fmt.Fprintf(&b, "          chosen by moving the marker (%s), which the screen does not show\n", q.Axis)
		}
	}
	if seen.Screen != nil {
		b.WriteString(seen.Screen.framed())
	}
	_, err := io.WriteString(o.std.Out, printableLines(b.String()))
	return err
}
