package schema

import "github.com/santhosh-tekuri/jsonschema/v6"

// graph holds every schema that a compiled schema can reach.
type graph struct {
	all    []*jsonschema.Schema
	uses   map[*jsonschema.Schema]int // how many schemas refer to it
	parent map[*jsonschema.Schema]bool

	dynamic     bool // what a reference means depends on the way to it
	unevaluated bool // what is valid depends on what was looked at before
	circular    bool // a schema asks itself about the same value
}

func newGraph(roots []*jsonschema.Schema) *graph {
	g := &graph{uses: map[*jsonschema.Schema]int{}, parent: map[*jsonschema.Schema]bool{}}
	for _, r := range roots {
		g.reach(r)
	}
	for i := 0; i < len(g.all); i++ { // the list grows
		s := g.all[i]
		g.unevaluated = g.unevaluated || s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil
		edges(s, func(to *jsonschema.Schema, r relation) *jsonschema.Schema {
			g.dynamic = g.dynamic || r == toDynamic
			g.parent[s] = true
			g.reach(to)
			return to
		})
	}
	state := map[*jsonschema.Schema]progress{}
	for _, s := range g.all {
		g.circular = g.circular || circular(s, state)
	}
	return g
}

func (g *graph) reach(s *jsonschema.Schema) {
	if g.uses[s]++; g.uses[s] == 1 {
		g.all = append(g.all, s)
	}
}

// progress is how far a search has come in a schema.
type progress uint8

const (
	searching progress = iota + 1
	searched
)

// circular reports whether the schemas that are asked about the same value lead back
// to one of them.
func circular(s *jsonschema.Schema, state map[*jsonschema.Schema]progress) (found bool) {
	switch state[s] {
	case searching:
		return true
	case searched:
		return false
	}
	state[s] = searching
	edges(s, func(to *jsonschema.Schema, r relation) *jsonschema.Schema {
		if r == toSelf && !found {
			found = circular(to, state)
		}
		return to
	})
	state[s] = searched
	return found
}

// price is the cost of asking a schema about a value: the visits to other schemas that
// follow from it, and their comparisons.
type price struct {
	self  charge
	named charge // the cost of the most expensive declared property
	other charge // the cost of each property
	item  charge // the cost of each item
}

type charge struct{ visits, work int }

func (c *charge) add(work int) {
	c.visits++
	c.work += work
}

// priceOf adds up the cost of a schema. It includes the constants that other schemas
// compare before they can be counted themselves.
func priceOf(s *jsonschema.Schema) (p price) {
	var additional, item int // the most expensive of the schemas of which only one is asked
	edges(s, func(to *jsonschema.Schema, r relation) *jsonschema.Schema {
		work := 1 + constants(to)
		switch r {
		case toSelf, toDynamic:
			p.self.add(work)
		case toNamed:
			p.named.work = max(p.named.work, work)
		case toProperty:
			additional = max(additional, work)
		case toEachProperty, toName:
			p.other.add(work)
		case toItem:
			item = max(item, work)
		case toEachItem:
			p.item.add(work)
		}
		return to
	})
	if additional > 0 {
		p.other.add(additional)
	}
	if item > 0 {
		p.item.add(item)
	}
	return p
}

// constants returns how many values are compared before a schema asks others.
func constants(s *jsonschema.Schema) (n int) {
	if s.Const != nil {
		n += sizeOf(*s.Const)
	}
	if s.Enum != nil {
		n += sizeOf(s.Enum.Values)
	}
	return n
}

// sizeOf returns how many values a value has, itself included.
func sizeOf(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			n += sizeOf(member)
		}
	case []any:
		for _, item := range v {
			n += sizeOf(item)
		}
	}
	return n
}

// of returns the price for a value.
func (p *price) of(s *jsonschema.Schema, v any) (visits, work int) {
	visits, work = p.self.visits, 1+p.self.work
	switch v := v.(type) {
	case map[string]any:
		named := min(len(v), len(s.Properties))
		visits += named + len(v)*p.other.visits
		work += named*p.named.work + len(v)*(1+p.other.work)
	case []any:
		visits += len(v) * p.item.visits
		work += len(v) * (1 + p.item.work)
		if s.UniqueItems {
			work += sizeOf(v) * comparisons(len(v))
		}
	case string:
		work += len(v) / stringWork
	}
	return visits, work
}

// comparisons returns how often an item is looked at to see whether it occurs twice: a
// few items are compared with each other, many by their sums.
func comparisons(items int) int {
	const few = 20
	if items > few {
		return 2
	}
	return items
}

// stringWork is how many bytes of a string are looked at in the time of one
// comparison.
const stringWork = 256
