package sidecar_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// TestSearchTools: GET /a2a/tools with a query finds tools of the list as it is now, and the
// list itself is as before.
func TestSearchTools(t *testing.T) {
	manifest := writeManifest(t, `[
	  {"name":"mail.send","description":"Sends an email.","inputSchema":{"type":"object","properties":{"recipient":{"type":"string"}}}},
	  {"name":"files.read_file","description":"Reads a file.","inputSchema":{"type":"object"}}]`)
	r := run(t, "--manifest", manifest, "--", "cat")
	find := func(query string) string {
		t.Helper()
		rep := r.getPath("/a2a/tools?" + query)
		if rep.status != http.StatusOK {
			t.Fatalf("%s: %d %s", query, rep.status, rep.body)
		}
		var found []map[string]string
		if err := json.Unmarshal([]byte(rep.body), &found); err != nil {
			t.Fatalf("%s: %v", rep.body, err)
		}
		var names []string
		for _, f := range found {
			if len(f) != 2 || f["description"] == "" {
				t.Errorf("more or less than name and description: %v", f)
			}
			names = append(names, f["name"])
		}
		return strings.Join(names, " ")
	}
	for query, want := range map[string]string{"query=sending+mails": "mail.send", "query=recipient": "mail.send", "query=document": "files.read_file", "query=qqqq": "", "query=a+file+by+mail&limit=1": "files.read_file"} {
		if got := find(query); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"query=": "query is empty", "query=x&limit=101": "at most 100", "query=x&limit=many": "not a number", "query=" + strings.Repeat("x", 1025): "1025 bytes",
	} {
		if rep := r.getPath("/a2a/tools?" + query); rep.status != http.StatusBadRequest || !strings.Contains(rep.body, want) {
			t.Errorf("%.40s: %d %s, want %q", query, rep.status, rep.body, want)
		}
	}
	list := r.getPath("/a2a/tools")
	if got := r.getPath("/a2a/tools?limit=1"); got.body != list.body || got.header.Get("Etag") != list.header.Get("Etag") {
		t.Errorf("a limit without a query changes the list: %s", got.body)
	}
	writeFile(t, manifest, `[{"name":"acme.weather","description":"The forecast.","inputSchema":{"type":"object"}}]`)
	await.True(t, "the new list is searched", func() bool { return find("query=weather") == "acme.weather" && find("query=mail") == "" })
}
