package search

import (
	"fmt"
	"strings"
	"testing"
)

// TestWorkOfASearchIsBounded counts what a search reads, in place of the time that it takes:
// the count is the same on every machine. The benchmark shows the time.
func TestWorkOfASearchIsBounded(t *testing.T) {
	const words = 40
	docs := make([]Doc, 10_000)
	for i := range docs {
		docs[i] = Doc{Name: fmt.Sprintf("n.t%c%c", 'a'+rune(i%26), 'a'+rune(i/26%26))}
		var b strings.Builder
		for w := range words {
			fmt.Fprintf(&b, "common%c%c ", 'a'+rune(w/26), 'a'+rune(w%26))
		}
		docs[i].Description = b.String()
	}
	docs[7].Description += "unusual"
	ix := New(docs)
	s := newScratch(len(docs))
	ix.scratch.New = func() any { return s }
	read := 0
	probe := func(query string) []Hit {
		ix.score(s, query)
		read = s.read
		s.reset()
		return ix.Search(query, 3)
	}
	hits := probe(docs[0].Description + "unusual")
	if read == 0 || read > maxPostings {
		t.Errorf("a search read %d postings, want at most %d", read, maxPostings)
	}
	if len(hits) != 3 {
		t.Errorf("got %d hits", len(hits))
	}
	if hits := probe("common unusual " + docs[0].Description); hits[0].Name != docs[7].Name {
		t.Errorf("the word that only one tool has was left out: %v", hits)
	}
	if s.scores[7] != 0 || s.group[7] != 0 || len(s.found) != 0 {
		t.Error("a search leaves something in what the next one counts in")
	}
	if probe("unusual"); read != 1 {
		t.Errorf("a rare word reads %d postings", read)
	}
}
