package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// TestOutputsOfAgents reads what agents wrote in their one-shot modes, in their
// folders' testdata, and compares what is made of it with the files beside it. Each
// output is known by its events, too.
func TestOutputsOfAgents(t *testing.T) {
	golden.Each(t, "*/testdata/*.out", 1, func(t *testing.T, file string) {
		name, _, _ := strings.Cut(file, "/")
		events := documents(t, golden.Read(t, file))
		if agent.Recognize(events[0]) == nil {
			t.Errorf("no agent writes %.100s", events[0])
		}
		dialect := agent.Dialect([]string{name})
		if dialect == nil {
			t.Fatalf("the agent for the command %s has no Dialect", name)
		}
		golden.Same(t, golden.Beside(file, ".told"), told(dialect, events))
	})
}

// documents are the JSON objects of an output, those in a list too.
func documents(t *testing.T, text string) (all [][]byte) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	for {
		var doc json.RawMessage
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		var list []json.RawMessage
		if json.Unmarshal(doc, &list) != nil {
			list = []json.RawMessage{doc}
		}
		for _, event := range list {
			all = append(all, event)
		}
	}
}

// told is what a dialect makes of the events.
func told(d *spec.Dialect, events [][]byte) string {
	var b strings.Builder
	o := spec.NewOutput(func(p []byte) { fmt.Fprintf(&b, "says %q\n", p) })
	read := d.Reader(o)
	for _, e := range events {
		read(e)
	}
	end := o.Ending
	fmt.Fprintf(&b, "final %v, ok %v, reason %q, model %q", end.Final, end.OK, end.Reason, end.Usage.Model)
	for _, n := range []*int64{end.Usage.Input, end.Usage.Output} {
		if n != nil {
			fmt.Fprintf(&b, ", %d tokens", *n)
		}
	}
	return b.String() + "\n"
}
