package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// shop has tools by name.
type shop struct {
	names []string
	err   error
}

func (s shop) Search(_ context.Context, query string, limit int) (all []tool.Found, err error) {
	for _, name := range s.names {
		if strings.Contains(name, query) && len(all) < limit {
			all = append(all, tool.Found{Name: name, Description: "<d>"})
		}
	}
	return all, s.err
}

func (s shop) Load(_ context.Context, names []string) (all []tool.Definition, err error) {
	for _, name := range names {
		for _, n := range s.names {
			if n == tool.Shown(name) {
				all = append(all, tool.Definition{Name: n, Description: "d", InputSchema: json.RawMessage(`{"type":"object"}`)})
			}
		}
	}
	return all, s.err
}

func TestToolSearch(t *testing.T) {
	var names []string
	for i := range 60 {
		names = append(names, fmt.Sprintf("acme.n%d", i))
	}
	names = append(names, "web.paint", "read")
	all := shop{names: names}
	const loaded = `{"name":"web.paint","description":"d","inputSchema":{"type":"object"}}`
	for _, c := range []struct {
		name, args string
		by         tool.Finder
		want, err  string
		count      int
	}{
		{"a query", `{"query":"paint"}`, all, `{"tools":[{"name":"web.paint","description":"<d>"}]}`, "", 1},
		{"ten without a limit", `{"query":"acme"}`, all, "", "", 10},
		{"a limit", `{"query":"acme","limit":3}`, all, "", "", 3},
		{"the most", `{"query":"acme","limit":50}`, all, "", "", 50},
		{"more than the most", `{"query":"acme","limit":51}`, all, "", "/limit", 0},
		{"less than one", `{"query":"acme","limit":0}`, all, "", "/limit", 0},
		{"load", `{"load":["web.paint"]}`, all, `{"loaded":[` + loaded + `]}`, "", 0},
		{"load one that is not there", `{"load":["web.pant","web.paint"]}`, all, `{"loaded":[` + loaded + `],"unknown":["web.pant"]}`, "", 0},
		{"load by the canonical name", `{"load":["core.read"]}`, all, `{"loaded":[{"name":"read","description":"d","inputSchema":{"type":"object"}}]}`, "", 0},
		{"both", `{"query":"paint","load":["web.paint"]}`, all, `{"tools":[{"name":"web.paint","description":"<d>"}],"loaded":[` + loaded + `]}`, "", 1},
		{"nothing is found", `{"query":"zzz"}`, all, `{}`, "", 0},
		{"neither", `{}`, all, "", "/query or /load is required", 0},
		{"a query that is too long", `{"query":"` + strings.Repeat("ü", 600) + `"}`, all, "", "/query has at most 1024 bytes, this one 1200", 0},
		{"too many to load", `{"load":[` + strings.TrimSuffix(strings.Repeat(`"a",`, 21), ",") + `]}`, all, "", "/load", 0},
		{"a property that nobody knows", `{"query":"a","max_results":3}`, all, "", "max_results", 0},
		{"nobody searches", `{"query":"a"}`, nil, "", "there are no tools to be found here: every tool is listed", 0},
		{"the search fails", `{"query":"a"}`, shop{err: errors.New("the sidecar has gone away")}, "", "the sidecar has gone away", 0},
	} {
		res, err := called(t, tool.SearchID, c.args, &tool.Call{Finder: c.by})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.name, err, c.err)
			}
		case err != nil || c.want != "" && string(res.Data) != c.want || strings.Count(string(res.Data), `"name"`) != max(c.count, strings.Count(c.want, `"name"`)):
			t.Errorf("%s: %v, %+v, want %s (%d)", c.name, err, res, c.want, c.count)
		}
	}
}

// What the schema refuses, the tool refuses by itself, too: the face calls it without one.
func TestToolSearchReadsItsArguments(t *testing.T) {
	one, _ := offered(t, tool.SearchID)
	for _, args := range []string{``, `{}`, `[]`, `{"query":"a"} {}`, `{"query":1}`, `{"more":1}`, `{"query":"a","limit":51}`, `{"load":[` + strings.TrimSuffix(strings.Repeat(`"a",`, 21), ",") + `]}`} {
		_, err := one.Run(t.Context(), &tool.Call{Args: json.RawMessage(args), Finder: shop{}})
		var bad *tool.SearchError
		if !errors.As(err, &bad) {
			t.Errorf("%.40s: %v", args, err)
		}
	}
}
