package schema

import "github.com/santhosh-tekuri/jsonschema/v6"

// answers holds what schemas have said of values in one validation. Answers are kept
// for schemas to which several refer: between two such schemas there is only one way.
type answers struct {
	c     *checker
	given map[question]*jsonschema.ValidationError // nil means that the value fits
	place places
}

// question is a schema and the place of a value.
type question struct {
	schema *jsonschema.Schema
	place  int
}

func (a *answers) reset() {
	a.given = emptied(a.given)
	a.place.reset()
}

// emptied returns the map without its entries; a large map is replaced by a new one.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	const kept = 256
	if len(m) > kept {
		return map[K]V{}
	}
	clear(m)
	return m
}

// remember puts a recall before each schema that several refer to and that asks
// others, and returns the root's.
func (c *checker) remember(g *graph) *jsonschema.Schema {
	c.answers = answers{c: c, given: map[question]*jsonschema.ValidationError{}, place: places{budget: &c.budget, known: map[below]int{}}}
	before := map[*jsonschema.Schema]*jsonschema.Schema{}
	for _, s := range g.all {
		if g.uses[s] > 1 && g.parent[s] {
			before[s] = bare(s)
			before[s].Extensions = []jsonschema.SchemaExt{&recall{answers: &c.answers, schema: s, fits: !g.unevaluated}}
		}
	}
	names := map[*jsonschema.Schema]*jsonschema.Schema{}
	put := func(to *jsonschema.Schema, r relation) *jsonschema.Schema {
		front := to
		if b := before[to]; b != nil {
			front = b
		}
		if r != toName || !g.parent[to] {
			return front
		}
		if names[to] == nil {
			names[to] = bare(to)
			names[to].Extensions = []jsonschema.SchemaExt{&apart{answers: &c.answers, schema: front}}
		}
		return names[to]
	}
	for _, s := range g.all {
		edges(s, put)
	}
	return put(g.all[0], toSelf)
}

// recall asks a schema about a value once.
type recall struct {
	answers *answers
	schema  *jsonschema.Schema
	fits    bool // whether the answer that a value fits may be kept
}

var _ jsonschema.SchemaExt = (*recall)(nil)

// Validate answers from memory if it can. An answer that was given when only the
// verdict was asked for has no words, and cannot be used when words are wanted.
func (r *recall) Validate(ctx *jsonschema.ValidatorContext, v any) {
	a := r.answers
	q := question{schema: r.schema, place: a.place.of(ctx.ValueLocation())}
	if was, ok := a.given[q]; ok && (was == nil || was.ErrorKind != nil || wordless(ctx)) {
		if was != nil {
			ctx.AddErr(was)
		}
		return
	}
	err := ctx.Validate(r.schema, v, nil)
	if err == nil {
		if r.fits {
			a.keep(q, nil)
		}
		return
	}
	a.keep(q, err.(*jsonschema.ValidationError))
	ctx.AddErr(err)
}

func (a *answers) keep(q question, said *jsonschema.ValidationError) {
	a.c.budget.spend(1, 1)
	a.given[q] = said
}

// wordless reports whether the library asks only for the verdict: the errors that it
// makes then have no kind.
func wordless(ctx *jsonschema.ValidatorContext) bool {
	_, err := ctx.Equals(struct{}{}, nil)
	said, ok := err.(*jsonschema.ValidationError)
	return ok && said.ErrorKind == nil
}

// apart asks about the name of a property, which has no place of its own.
type apart struct {
	answers *answers
	schema  *jsonschema.Schema
}

var _ jsonschema.SchemaExt = (*apart)(nil)

// Validate asks about the name at a place that no other question has.
func (p *apart) Validate(ctx *jsonschema.ValidatorContext, v any) {
	was := p.answers.place
	p.answers.place = was.elsewhere()
	err := ctx.Validate(p.schema, v, nil)
	was.last = p.answers.place.last
	p.answers.place = was
	if err != nil {
		ctx.AddErr(err)
	}
}
