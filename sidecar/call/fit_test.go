package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

// What is too long for the caller is cut, whatever the tool's limit is, and is whole in a file.
func TestEnvelopeFitsItsCaller(t *testing.T) {
	store, err := output.NewStore(output.Options{Dir: t.TempDir(), Limit: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	const most = 128 << 10
	for name, one := range map[string]struct {
		data  string // JSON
		err   error
		whole bool
	}{
		"short":            {data: `{"a":1}`, whole: true},
		"just fits":        {data: `"` + strings.Repeat("x", 90<<10) + `"`, whole: true},
		"a text":           {data: `"` + strings.Repeat("x", 1<<20) + `"`},
		"an object":        {data: `{"a":"` + strings.Repeat("é", 1<<19) + `"}`},
		"what JSON writes": {data: `["` + strings.Repeat(`\u0001\"`, 100<<10) + `"]`},
		"an error":         {err: errors.New(strings.Repeat("\x01", 1<<20))},
	} {
		t.Run(name, func(t *testing.T) {
			reg := manifest.NewRegistry()
			handler(t, reg, "acme.say", manifest.EffectsRead, func(context.Context, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(one.data), one.err
			})
			r := newRig(t, "", reg, func(o *call.Options) { o.Outputs, o.MaxOutput = store, 4<<20 })
			inv := r.p.Start(call.Request{Tool: "acme.say", MaxEnvelope: most})
			r.ended(inv)
			var e struct {
				Data     json.RawMessage
				Error    string `json:"error_text"`
				Metadata struct {
					Truncated bool
					Path      string `json:"output_path"`
				}
			}
			if err := json.Unmarshal(inv.Envelope(), &e); err != nil || len(inv.Envelope()) > most {
				t.Fatalf("an envelope of %d bytes: %v", len(inv.Envelope()), err)
			}
			switch {
			case one.err != nil:
				if len(e.Error) < 1000 || e.Metadata.Truncated {
					t.Errorf("an error of %d bytes, truncated %t", len(e.Error), e.Metadata.Truncated)
				}
				return
			case one.whole:
				if string(e.Data) != one.data || e.Metadata.Truncated {
					t.Errorf("%d bytes of %d", len(e.Data), len(one.data))
				}
				return
			}
			var d struct{ Head string }
			if err := json.Unmarshal(e.Data, &d); err != nil || !e.Metadata.Truncated || len(e.Data) < most/2 || !strings.HasPrefix(one.data, d.Head) {
				t.Errorf("a head of %d bytes, truncated %t: %v", len(e.Data), e.Metadata.Truncated, err)
			}
			if all, err := os.ReadFile(e.Metadata.Path); err != nil || string(all) != one.data {
				t.Errorf("the file has %d bytes of %d: %v", len(all), len(one.data), err)
			}
		})
	}
}
