package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Doc is one tool as the index sees it. Nothing in it needs to be valid in any way.
type Doc struct {
	// Name is the tool's name, "namespace.tool".
	Name string
	// Native is the name that the tool has where it comes from, "" for the same.
	Native      string
	Description string
	// Arguments are the names of the tool's arguments.
	Arguments []string
}

// Index is what a list of tools is searched by. It is immutable, and many goroutines may use
// it at once.
type Index struct {
	docs  []Doc // their arguments are left out
	terms terms
	// postings are those of all terms, in the order of terms: where those of the term i begin
	// and end is starts[i] and starts[i+1].
	postings []posting
	starts   []uint32
	// keys are the texts that are another way to write a tool's name, in order.
	keys []key

	scratch sync.Pool // of *scratch
}

// posting says that a tool has a term, and how much that counts if the term is asked for.
type posting struct {
	doc    uint32
	impact float32
}

// key is a text that finds a tool before all others, see exact.
type key struct {
	text string
	doc  uint32
}

// field is a part of a tool that is searched.
type field int

const (
	fieldName field = iota
	fieldDescription
	fieldNamespace
	fieldArguments
	fields
)

// The parameters of BM25F: how soon repetition stops to count, and for each field its weight
// and how much its length counts against it.
const saturation = 1.2

var (
	weights = [fields]float32{fieldName: 2.5, fieldDescription: 1, fieldNamespace: 1, fieldArguments: 0.3}
	lengths = [fields]float32{fieldName: 0.4, fieldDescription: 0.5, fieldNamespace: 0, fieldArguments: 0.5}
)

// New returns the index of a list of tools. It keeps the names and descriptions, and nothing
// else of docs.
func New(docs []Doc) *Index {
	b := builder{ids: map[string]uint32{}, counts: make([][]count, len(docs)), sizes: make([][fields]float32, len(docs))}
	ix := &Index{docs: make([]Doc, len(docs)), keys: make([]key, 0, 2*len(docs))}
	for i := range docs {
		d := &docs[i]
		ix.docs[i] = Doc{Name: d.Name, Native: d.Native, Description: d.Description}
		ix.addKeys(d, uint32(i))
		b.add(uint32(i), d)
	}
	slices.SortFunc(ix.keys, func(a, b key) int { return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.doc, b.doc)) })
	ix.keys = slices.Clip(slices.Compact(ix.keys))
	b.pack(ix)
	ix.scratch.New = func() any { return newScratch(len(docs)) }
	return ix
}

// Len returns how many tools the index has.
func (ix *Index) Len() int { return len(ix.docs) }

// addKeys adds the names of a tool, as they are and without what separates their words.
func (ix *Index) addKeys(d *Doc, doc uint32) {
	ix.keys = append(ix.keys, key{exactKey(d.Name), doc}, key{joinedKey(d.Name), doc})
	if d.Native != "" {
		ix.keys = append(ix.keys, key{exactKey(d.Native), doc})
	}
}

// builder counts the words of each tool.
type builder struct {
	ids    map[string]uint32
	names  []string
	counts [][]count         // of each tool
	sizes  [][fields]float32 // of each tool: how many words each field has
	sums   [fields]float32   // of all tools
	seen   map[uint32]int    // of one tool: where the count of a term is
	words  []word
}

// count is how often a term is in each field of one tool.
type count struct {
	term uint32
	in   [fields]uint16
}

func (b *builder) add(doc uint32, d *Doc) {
	b.seen = make(map[uint32]int, 32)
	namespace, name, ok := strings.Cut(text.Cut(d.Name, MaxQuery), ".")
	if !ok {
		namespace, name = "", namespace
	}
	b.field(doc, fieldName, name)
	b.field(doc, fieldNamespace, namespace)
	b.field(doc, fieldDescription, text.Cut(d.Description, maxDescription))
	for _, a := range d.Arguments[:min(len(d.Arguments), maxArguments)] {
		b.field(doc, fieldArguments, text.Cut(a, maxWord))
	}
}

// field counts the words of a field.
func (b *builder) field(doc uint32, f field, s string) {
	b.words = split(b.words[:0], s)
	for _, w := range b.words {
		id := b.id(stem(w.text))
		at, ok := b.seen[id]
		if !ok {
			at = len(b.counts[doc])
			b.seen[id] = at
			b.counts[doc] = append(b.counts[doc], count{term: id})
		}
		if in := &b.counts[doc][at].in[f]; *in < math.MaxUint16 {
			*in++
		}
		if !w.whole {
			b.sizes[doc][f]++
			b.sums[f]++
		}
	}
}

func (b *builder) id(term string) uint32 {
	id, ok := b.ids[term]
	if !ok {
		id = uint32(len(b.names))
		b.ids[term] = id
		b.names = append(b.names, term)
	}
	return id
}

// pack writes what was counted in the form that is searched: terms in order, and of each the
// tools that have it.
func (b *builder) pack(ix *Index) {
	order := make([]uint32, len(b.names)) // the ids in the order of their terms
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(b.names[x], b.names[y]) })
	rank := make([]uint32, len(order))
	ix.terms = newTerms(len(order))
	for at, id := range order {
		rank[id] = uint32(at)
		ix.terms.add(b.names[id])
	}
	ix.starts = make([]uint32, len(order)+1)
	for _, counts := range b.counts {
		for _, c := range counts {
			ix.starts[rank[c.term]+1]++
		}
	}
	for i := range order {
		ix.starts[i+1] += ix.starts[i]
	}
	ix.postings = make([]posting, ix.starts[len(order)])
	next := slices.Clone(ix.starts)
	for doc, counts := range b.counts {
		for _, c := range counts {
			at := rank[c.term]
			ix.postings[next[at]] = posting{doc: uint32(doc), impact: b.impact(doc, c)}
			next[at]++
		}
	}
}

// impact returns what a term counts for in a tool, its rarity aside.
func (b *builder) impact(doc int, c count) float32 {
	var tf float32
	for f, n := range c.in {
		if n == 0 {
			continue
		}
		average := b.sums[f] / float32(len(b.counts))
		tf += weights[f] * float32(n) / (1 - lengths[f] + lengths[f]*b.sizes[doc][f]/average)
	}
	return tf * (saturation + 1) / (saturation + tf)
}

// idf returns what the rarity of a term counts for: it is positive for every term.
func (ix *Index) idf(term uint32) float32 {
	df := float64(ix.starts[term+1] - ix.starts[term])
	return float32(math.Log1p((float64(len(ix.docs)) - df + 0.5) / (df + 0.5)))
}
