package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// provider answers nested calls, and notes them.
type provider struct {
	answer string
	err    error
	made   []tool.Nested
}

func (p *provider) Call(ctx context.Context, n tool.Nested) (json.RawMessage, error) {
	p.made = append(p.made, n)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return json.RawMessage(p.answer), p.err
}

func searching(c tool.Calls, s *tool.Session, providers ...string) *tool.Call {
	return &tool.Call{Args: []byte(`{"query":"a \"b\"","max_results":2}`), Session: s, Calls: c, Search: tool.Search{Providers: providers, Calls: 25, Timeout: 15 * time.Second}}
}

func TestWebSearch(t *testing.T) {
	const none = `error: the search by acme.search: its answer has no results: it must be an array of objects with title, url and snippet, or an object that has it as "results"`
	plain := `{"results":[{"title":"T","url":"https://a.example/","snippet":"S"}]}`
	for name, c := range map[string]struct{ answer, want string }{
		"an array":           {`[{"title":"T","url":"https://a.example/","snippet":"S"}]`, plain},
		"results":            {plain, plain},
		"as text":            {`"[{\"title\":\"T\",\"url\":\"https://a.example/\",\"snippet\":\"S\"}]"`, plain},
		"organic":            {`{"organic":[{"title":"T","link":"https://a.example/","snippet":"S","position":1}]}`, plain},
		"web.results":        {`{"web":{"results":[{"title":"T","url":"https://a.example/","description":"S"}]}}`, plain},
		"webPages.value":     {`{"webPages":{"value":[{"name":"T","url":"https://a.example/","snippet":"S"}]}}`, plain},
		"items":              {`{"items":[{"title":"T","link":"https://a.example/","snippet":"S"}]}`, plain},
		"content":            {`{"query":"x","results":[{"title":"T","url":"https://a.example/","content":"S","score":0.9}]}`, plain},
		"href and body":      {`[{"title":"T","href":"https://a.example/","body":"S"}]`, plain},
		"more than asked":    {`[{"url":"u1"},{"url":"u2"},{"url":"u3"}]`, `{"results":[{"title":"","url":"u1","snippet":""},{"title":"","url":"u2","snippet":""}]}`},
		"twice, and no URL":  {`[{"title":"x"},{"url":"u1"},7,null,{"url":"u1"},{"url":["u"]},{"url":"u2"}]`, `{"results":[{"title":"","url":"u1","snippet":""},{"title":"","url":"u2","snippet":""}]}`},
		"nothing found":      {`[]`, `{"results":[]}`},
		"nothing of results": {`{"results":[]}`, `{"results":[]}`},
		"white space":        {`[{"title":" a\n\tb ","url":"u","snippet":"\u001b[31mred\u202e"}]`, `{"results":[{"title":"a b","url":"u","snippet":"[31mred"}]}`},
		"unicode":            {`[{"title":"grün <b>","url":"u","snippet":"中文"}]`, `{"results":[{"title":"grün <b>","url":"u","snippet":"中文"}]}`},
		"a word":             {`"no results"`, none},
		"null":               {`null`, none},
		"an error":           {`{"error":"bad key"}`, none},
		"results of nothing": {`[{"title":"x"}]`, none},
		"deep":               {`{"data":{"data":{"data":{"data":[]}}}}`, none},
		"results null":       {`{"results":null}`, none},
		"long":               {`[{"title":"` + strings.Repeat("t", 1000) + `","url":"u","snippet":"` + strings.Repeat("s", 9000) + `"}]`, `{"results":[{"title":"` + strings.Repeat("t", 500) + `","url":"u","snippet":"` + strings.Repeat("s", 4000) + `"}]}`},
	} {
		p := &provider{answer: c.answer}
		r, err := one(t, "web_search").Run(t.Context(), searching(p, &tool.Session{}, "acme.search"))
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = string(r.Data)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if n := p.made[0]; n.Tool != "acme.search" || string(n.Args) != `{"max_results":2,"query":"a \"b\""}` || n.Timeout != 15*time.Second || !n.Covered || len(p.made) != 1 {
			t.Errorf("%s: called %+v", name, p.made)
		}
	}
}

// A provider that fails does so in words, and a conversation has so many searches, whatever became of them.
func TestWebSearchLimits(t *testing.T) {
	session, p := &tool.Session{ID: "c"}, &provider{err: errors.New("api.example answered 429 Too Many Requests")}
	run := func(s *tool.Session, providers ...string) string {
		_, err := one(t, "web_search").Run(t.Context(), searching(p, s, providers...))
		return fmt.Sprint(err)
	}
	for range 25 {
		if got := run(session, "acme.search"); got != "the search by acme.search: api.example answered 429 Too Many Requests" {
			t.Fatal(got)
		}
	}
	if got := run(session, "acme.search"); got != "this conversation has made its 25 searches: work with what they found, or fetch pages that you know with web_fetch" || len(p.made) != 25 {
		t.Errorf("%s after %d", got, len(p.made))
	}
	if got := run(&tool.Session{ID: "d"}, "acme.search"); !strings.HasPrefix(got, "the search by") {
		t.Errorf("another conversation: %s", got)
	}
	if got := run(session); got != "nothing that searches can be called from here" {
		t.Error(got)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stop"))
	if _, err := one(t, "web_search").Run(ctx, searching(&provider{}, &tool.Session{}, "acme.search")); err == nil || err.Error() != "the search by acme.search: stop" {
		t.Error(err)
	}
}

// A session has one provider, and sessions have different ones.
func TestWebSearchProvider(t *testing.T) {
	s, count := tool.Search{Providers: []string{"a.x", "b.x", "c.x"}}, map[string]int{}
	for i := range 300 {
		id := fmt.Sprintf("context-%d", i)
		one := s.Provider(id)
		count[one]++
		for range 3 {
			if again := s.Provider(id); again != one {
				t.Fatalf("%s: %s, then %s", id, one, again)
			}
		}
	}
	for _, name := range s.Providers {
		if count[name] < 60 {
			t.Errorf("%v", count)
		}
	}
	if got := (&tool.Search{}).Provider("x"); got != "" {
		t.Errorf("without providers: %s", got)
	}
}
