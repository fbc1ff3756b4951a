package search_test

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/surface/search"
)

// What the labelled sets reach, a little less each: a change that loses more is a fault.
const (
	leastRecall          = 0.92 // of the right tools, among the first five
	leastMRR             = 0.81 // of the first right tool: 1 for the first place, 1/2 for the second
	leastRecallAmongMany = 0.77 // among 10,000 tools

	leastHeldOut          = 0.89
	leastHeldOutMRR       = 0.78
	leastHeldOutAmongMany = 0.77
)

// labelled is a query with the tools that are right.
type labelled struct {
	query string
	right []string
}

// rows returns the columns of a file of testdata, separated by bars.
func rows(t testing.TB, name string) (all [][]string) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line := lines.Text(); !strings.HasPrefix(line, "#") {
			columns := strings.Split(line, "|")
			for i := range columns {
				columns[i] = strings.TrimSpace(columns[i])
			}
			all = append(all, columns)
		}
	}
	return all
}

func tools(t testing.TB) (docs []search.Doc) {
	for _, row := range rows(t, "tools.txt") {
		docs = append(docs, search.Doc{Name: row[0], Description: row[1], Arguments: strings.FieldsFunc(row[2], func(r rune) bool { return r == ',' || r == ' ' })})
	}
	if len(docs) < 200 {
		t.Fatalf("there are %d tools", len(docs))
	}
	return docs
}

func queries(t testing.TB, file string, docs []search.Doc) (all []labelled) {
	for _, row := range rows(t, file) {
		q := labelled{query: row[0]}
		for name := range strings.SplitSeq(row[1], ",") {
			name = strings.TrimSpace(name)
			if !slices.ContainsFunc(docs, func(d search.Doc) bool { return d.Name == name }) {
				t.Fatalf("%q is labelled with %s, which does not exist", q.query, name)
			}
			q.right = append(q.right, name)
		}
		all = append(all, q)
	}
	return all
}

// many returns tools with n-len(docs) distractors after docs: variants of each tool, of other
// namespaces and with other words in part of the description, as other servers for the same
// purpose have.
func many(docs []search.Doc, n int) []search.Doc {
	all := slices.Clone(docs)
	vendors := []string{"acme", "globex", "initech", "umbrella", "hooli", "stark", "wayne", "wonka", "tyrell", "cyberdyne", "aperture", "soylent"}
	nouns := []string{"ledger", "turbine", "orchard", "satellite", "reactor", "vineyard", "glacier", "violin", "harbor", "telescope", "furnace", "meadow", "lantern", "compass", "anchor", "quarry"}
	for i := 0; len(all) < n; i++ {
		d, round := docs[i%len(docs)], i/len(docs)
		noun := nouns[(round+i)%len(nouns)]
		_, own, _ := strings.Cut(d.Name, ".")
		all = append(all, search.Doc{
			Name:        fmt.Sprintf("%s_%s.%s_%s_%d", vendors[round%len(vendors)], noun, noun, own, round),
			Description: "For a " + noun + " of " + vendors[round%len(vendors)] + " only: " + d.Description,
			Arguments:   append(slices.Clone(d.Arguments), noun+"_id"),
		})
	}
	return all
}

// measure returns the recall at five and the mean reciprocal rank of an index, and logs each
// query whose right tools are not all among the first five.
func measure(t *testing.T, ix *search.Index, all []labelled) (recall, mrr float64) {
	for _, q := range all {
		hits := ix.Search(q.query, 5)
		found := 0
		for rank, h := range hits {
			if slices.Contains(q.right, h.Name) {
				if found++; found == 1 {
					mrr += 1 / float64(rank+1)
				}
			}
		}
		recall += float64(found) / float64(len(q.right))
		if found < len(q.right) {
			var got []string
			for _, h := range hits {
				got = append(got, fmt.Sprintf("%s %.1f", h.Name, h.Score))
			}
			t.Logf("miss: %q, want %s, got %s", q.query, strings.Join(q.right, " and "), strings.Join(got, ", "))
		}
	}
	return recall / float64(len(all)), mrr / float64(len(all))
}

// TestRecall measures two sets: by the first one the weights and the synonyms were chosen; the
// second one was written afterwards and changed nothing.
func TestRecall(t *testing.T) {
	docs := tools(t)
	few, lots := search.New(docs), search.New(many(docs, 10_000))
	for _, set := range []struct {
		file                     string
		recall, mrr, recallOfAll float64
	}{
		{"queries.txt", leastRecall, leastMRR, leastRecallAmongMany},
		{"heldout.txt", leastHeldOut, leastHeldOutMRR, leastHeldOutAmongMany},
	} {
		t.Run(set.file, func(t *testing.T) {
			all := queries(t, set.file, docs)
			for ix, least := range map[*search.Index][2]float64{few: {set.recall, set.mrr}, lots: {set.recallOfAll, 0}} {
				recall, mrr := measure(t, ix, all)
				t.Logf("%d tools, %d queries: recall at 5 is %.3f, the mean reciprocal rank %.3f", ix.Len(), len(all), recall, mrr)
				if recall < least[0] || mrr < least[1] {
					t.Errorf("%d tools: recall %.3f and MRR %.3f, want at least %.2f and %.2f", ix.Len(), recall, mrr, least[0], least[1])
				}
			}
		})
	}
}
