package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// TestOutputsOfAgents reads what agents wrote in their one-shot modes, in their
// folders' testdata, and compares what is made of it with the files beside it. Each
// output is known by its events, too.
func TestOutputsOfAgents(t *testing.T) {
	files, err := filepath.Glob("*/testdata/*.out")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			name, _, _ := strings.Cut(file, "/")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			events := documents(t, text)
			if agent.Recognize(events[0]) == nil {
				t.Errorf("no agent writes %.100s", events[0])
			}
			dialect := agent.Dialect([]string{name})
			if dialect == nil {
				t.Fatalf("the agent for the command %s has no Dialect", name)
			}
			got, golden := told(dialect, events), strings.TrimSuffix(file, ".out")+".told"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v: go test ./sidecar/agent -update writes it; look at every line", err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// documents are the JSON objects of an output, those in a list too.
func documents(t *testing.T, text []byte) (all [][]byte) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
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
