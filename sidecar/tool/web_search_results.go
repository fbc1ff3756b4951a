package tool

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// SearchResult is one result of web_search.
type SearchResult struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// The longest texts of a result, in bytes.
const (
	maxResultTitle   = 500
	maxResultURL     = 4000
	maxResultSnippet = 4000
)

// resultLists are the members in which an answer may have its results, the first one that is there counts;
// each may be an object that has them itself, as in {"web":{"results":[…]}}.
func resultLists() []string {
	return []string{"results", "items", "organic", "organic_results", "web", "webPages", "value", "hits", "documents", "data", "response"}
}

// The names that a result's members may have, the first one that is there counts.
func titleNames() []string { return []string{"title", "name", "heading"} }
func urlNames() []string {
	return []string{"url", "link", "href", "displayUrl", "uri"}
}
func snippetNames() []string {
	return []string{"snippet", "description", "content", "text", "body", "summary", "abstract", "excerpt", "extract"}
}

// maxNesting is how many objects an answer's results are in.
const maxNesting = 3

var errResults = errors.New(`its answer has no results: it must be an array of objects with title, url and snippet, or an object that has it as "results"`)

// results reads the results of a provider's answer, at most limit of them. Those without a URL, and a second
// one with the same URL, are left out.
func results(answer json.RawMessage, limit int) ([]SearchResult, error) {
	list, err := resultList(answer, 0)
	if err != nil {
		return nil, err
	}
	found, seen := []SearchResult{}, map[string]bool{}
	for _, raw := range list {
		var o map[string]json.RawMessage
		if len(found) == limit || json.Unmarshal(raw, &o) != nil {
			continue
		}
		r := SearchResult{Title: member(o, titleNames(), maxResultTitle), URL: member(o, urlNames(), maxResultURL), Snippet: member(o, snippetNames(), maxResultSnippet)}
		if r.URL == "" || seen[r.URL] {
			continue
		}
		seen[r.URL] = true
		found = append(found, r)
	}
	if len(found) == 0 && len(list) > 0 {
		return nil, errResults
	}
	return found, nil
}

// resultList finds the array of results in an answer, which may be text that is JSON.
func resultList(answer json.RawMessage, depth int) ([]json.RawMessage, error) {
	if depth > maxNesting {
		return nil, errResults
	}
	var list []json.RawMessage
	if json.Unmarshal(answer, &list) == nil && list != nil {
		return list, nil
	}
	var words string
	if json.Unmarshal(answer, &words) == nil && json.Valid([]byte(words)) {
		return resultList(json.RawMessage(words), depth+1)
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(answer, &o) != nil {
		return nil, errResults
	}
	for _, name := range resultLists() {
		if inner, ok := o[name]; ok {
			return resultList(inner, depth+1)
		}
	}
	return nil, errResults
}

// member returns the first of an object's members that is a text, as one line.
func member(o map[string]json.RawMessage, names []string, limit int) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(o[name], &s) == nil && strings.TrimSpace(s) != "" {
			return text.Line(strings.Join(strings.Fields(s), " "), limit)
		}
	}
	return ""
}
