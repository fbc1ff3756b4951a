package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Hit is a tool that was found.
type Hit struct {
	Name        string
	Description string
	// Score is comparable within one search only; more is better.
	Score float64
}

// What a query scores that is the name of a tool, more than any words can.
const (
	scoreExact  = 20_000 // in its own form, in any case
	scoreJoined = 10_000 // with other separators
)

// weightCovered is the part of a score that depends on how many of the query's words a tool has.
const weightCovered = 0.5

// Search returns the tools that a query finds, best first, ties in the order of names: at
// most limit, DefaultLimit if that is 0 or less, and MaxLimit in any case. Of a query, the
// first MaxQuery bytes and MaxWords words count. A query without words finds nothing.
func (ix *Index) Search(query string, limit int) []Hit {
	if limit <= 0 {
		limit = DefaultLimit
	}
	s := ix.scratch.Get().(*scratch)
	defer func() {
		s.reset()
		ix.scratch.Put(s)
	}()
	ix.score(s, query)
	best := ix.best(s, min(limit, MaxLimit))
	hits := make([]Hit, len(best))
	for i, doc := range best {
		d := &ix.docs[doc]
		hits[i] = Hit{Name: d.Name, Description: d.Description, Score: float64(s.scores[doc])}
	}
	return hits
}

// score counts what each tool scores.
func (ix *Index) score(s *scratch, query string) {
	groups := ix.groups(query)
	for i, g := range groups {
		for _, a := range g.alternatives {
			list := ix.postings[ix.starts[a.term]:ix.starts[a.term+1]]
			if s.read+len(list) > maxPostings {
				break
			}
			s.read += len(list)
			s.count(uint32(i+1), list, a.weight)
		}
	}
	for _, doc := range s.found {
		s.scores[doc] *= 1 - weightCovered + weightCovered*float32(s.groups[doc])/float32(len(groups))
	}
	query = text.Cut(query, MaxQuery)
	s.exact(ix.keys, joinedKey(query), scoreJoined)
	s.exact(ix.keys, exactKey(query), scoreExact)
}

// exactKey returns the form of a name in which case and outer white space do not count.
func exactKey(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// joinedKey returns the form of a name in which separators do not count either. It begins
// with a space, which no exactKey does.
func joinedKey(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, w := range split(nil, text.Cut(s, MaxQuery)) {
		if !w.whole {
			b.WriteString(w.text)
		}
	}
	return b.String()
}

// scratch is what one search counts in.
type scratch struct {
	scores []float32 // of each tool
	best   []float32 // of each tool: the best alternative of the group that it was last in
	group  []uint32  // of each tool: that group, 0 for none
	groups []uint8   // of each tool: how many groups it is in
	found  []uint32  // the tools with a score
	read   int       // how many postings were counted
}

func newScratch(docs int) *scratch {
	return &scratch{scores: make([]float32, docs), best: make([]float32, docs), group: make([]uint32, docs), groups: make([]uint8, docs)}
}

func (s *scratch) reset() {
	for _, doc := range s.found {
		s.scores[doc], s.best[doc], s.group[doc], s.groups[doc] = 0, 0, 0, 0
	}
	s.found, s.read = s.found[:0], 0
}

// count adds the postings of an alternative. Of the alternatives of a group, the best one
// counts for each tool.
func (s *scratch) count(group uint32, list []posting, weight float32) {
	for _, p := range list {
		score := weight * p.impact
		switch s.group[p.doc] {
		case group:
			if more := score - s.best[p.doc]; more > 0 {
				s.scores[p.doc] += more
				s.best[p.doc] = score
			}
			continue
		case 0:
			s.found = append(s.found, p.doc)
		}
		s.group[p.doc], s.best[p.doc] = group, score
		s.groups[p.doc]++
		s.scores[p.doc] += score
	}
}

// exact adds what the tools score that have a name.
func (s *scratch) exact(keys []key, name string, score float32) {
	if strings.TrimSpace(name) == "" {
		return
	}
	at, _ := slices.BinarySearchFunc(keys, name, func(k key, name string) int { return strings.Compare(k.text, name) })
	for ; at < len(keys) && keys[at].text == name; at++ {
		doc := keys[at].doc
		if s.group[doc] == 0 {
			s.found = append(s.found, doc)
			s.group[doc] = ^uint32(0)
		}
		s.scores[doc] += score
	}
}

// best returns the limit best tools that were found, in order, by a heap whose root is the
// worst of them.
func (ix *Index) best(s *scratch, limit int) []uint32 {
	worse := func(a, b uint32) bool {
		if s.scores[a] != s.scores[b] {
			return s.scores[a] < s.scores[b]
		}
		return cmp.Or(strings.Compare(ix.docs[a].Name, ix.docs[b].Name), cmp.Compare(a, b)) > 0
	}
	heap := make([]uint32, 0, min(limit, len(s.found)))
	for _, doc := range s.found {
		switch {
		case len(heap) < limit:
			heap = append(heap, doc)
			if len(heap) == limit {
				for i := limit/2 - 1; i >= 0; i-- {
					sink(heap, i, worse)
				}
			}
		case worse(heap[0], doc):
			heap[0] = doc
			sink(heap, 0, worse)
		}
	}
	slices.SortFunc(heap, func(a, b uint32) int {
		if worse(b, a) {
			return -1
		}
		return 1
	})
	return heap
}

// sink restores the order of a heap below its element i.
func sink(heap []uint32, i int, worse func(a, b uint32) bool) {
	for {
		least := 2*i + 1
		if least >= len(heap) {
			return
		}
		if right := least + 1; right < len(heap) && worse(heap[right], heap[least]) {
			least = right
		}
		if !worse(heap[least], heap[i]) {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}
