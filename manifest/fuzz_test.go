package manifest_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// FuzzParse: whatever comes, faults have places inside the file, and what is
// accepted is JSON whose document is a manifest that serves itself.
func FuzzParse(f *testing.F) {
	for _, file := range golden.Files(f, "testdata/parse/*.json", 1) {
		f.Add(golden.Read(f, file))
	}
	f.Add(fullTool)
	f.Fuzz(func(t *testing.T, src string) {
		s, warnings, err := manifest.Parse("tools.json", []byte(src), manifest.Options{})
		for _, w := range warnings {
			inside(t, src, w)
		}
		var faults jsontree.Faults
		if errors.As(err, &faults) {
			for _, f := range faults {
				inside(t, src, f)
			}
			return
		}
		if err != nil || !json.Valid([]byte(src)) || !json.Valid(s.Document()) {
			t.Fatalf("accepted, %v: %s", err, s.Document())
		}
		again, _, err := manifest.Parse("again", s.Document(), manifest.Options{})
		if err != nil || string(again.Document()) != string(s.Document()) {
			t.Fatalf("the document does not serve itself: %v\n%s", err, s.Document())
		}
		for _, tool := range s.Tools() {
			if err := validate(context.Background(), s, tool.Name, nil); err != nil && !errors.As(err, new(*schema.ArgumentsError)) {
				t.Fatalf("%s was good at load and cannot be used: %v", tool.Name, err)
			}
		}
	})
}

func inside(t *testing.T, src string, f jsontree.Fault) {
	t.Helper()
	if f.Line < 1 || f.Line > strings.Count(src, "\n")+1 || f.Column < 1 || f.Column > len(src)+1 {
		t.Errorf("a fault outside the file: %v", f)
	}
	if f.Message == "" || strings.ContainsAny(f.String(), "\n\r\x00\x1b\u202e") {
		t.Errorf("a line that is none: %q", f.String())
	}
}

// FuzzArgv: a command line that is made has neither NUL nor an element that is
// too long, and no value begins an element with a dash.
func FuzzArgv(f *testing.F) {
	f.Add("--env={env}", "{note}", `{"env":"prod","note":"-x"}`)
	f.Add("{a}{b}", "-{a}", `{"a":"","b":["-x",1,true]}`)
	f.Add("{a}", "{ä}", `{"a":-5,"ä":"\u0000"}`)
	f.Add("{{a}}", "{a", `{"a":null}`)
	f.Fuzz(func(t *testing.T, first, second, args string) {
		e := &manifest.Exec{Command: []string{"x", "{v}" + first, "{v}" + second}}
		line, err := argv(e, args)
		if err != nil {
			if !errors.As(err, new(*schema.ArgumentsError)) || strings.ContainsAny(err.Error(), "\n\x00\x1b") {
				t.Fatalf("error is %T: %q", err, err)
			}
			return
		}
		if line[0] != "x" {
			t.Fatalf("the program became %q", line[0])
		}
		for _, a := range line[1:] {
			if len(a) >= 128<<10 || strings.Contains(a, "\x00") && !strings.Contains(first+second, "\x00") {
				t.Fatalf("an element of %d bytes: %.100q", len(a), a)
			}
			if strings.HasPrefix(a, "-") && !strings.HasPrefix(first, "-") && !strings.HasPrefix(second, "-") {
				t.Fatalf("%q begins with a dash", a)
			}
		}
	})
}

// FuzzValidate: arguments are good or bad; nothing else happens.
func FuzzValidate(f *testing.F) {
	f.Add(`{"value":"abc","count":4,"tags":["a"],"names":{"A":1}}`)
	f.Add(`{"value":"abc","either":"x","one":5,"deep":{"next":{}}}`)
	s := mustParse(f, `[{"name":"acme.v","description":"d","inputSchema":`+validateSchema+`}]`)
	f.Fuzz(func(t *testing.T, args string) {
		err := validate(context.Background(), s, "acme.v", json.RawMessage(args))
		if err == nil {
			if strings.TrimSpace(args) != "" && !json.Valid([]byte(args)) {
				t.Fatal("accepted what is no JSON")
			}
			return
		}
		var bad *schema.ArgumentsError
		if !errors.As(err, &bad) || len(bad.Faults) == 0 || strings.ContainsAny(err.Error(), "\n\x00\x1b") {
			t.Fatalf("error is %T: %q", err, err)
		}
		if strings.Contains(err.Error(), "cannot be checked against") {
			t.Fatal("the library panicked")
		}
	})
}
