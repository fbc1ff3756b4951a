package schema

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// checker is a compiled schema that counts what it does, for one call at a time. The
// library has no hook that is called before each visit, but it asks for a format early
// enough, so each schema gets one. A schema that several refer to is asked about a
// value once, and its answer is kept (answers.go).
type checker struct {
	root    *jsonschema.Schema
	quiet   *jsonschema.Schema // the same schema, which gives only the verdict
	known   []string           // the properties of the root, for suggestions
	budget  budget
	answers answers
	sealed  bool // the schema is compiled: no more of its expressions come
}

// newChecker compiles a schema that was valid when it was loaded.
func newChecker(doc any) (*checker, error) {
	c := &checker{}
	comp := newCompiler()
	comp.UseRegexpEngine(c.expression)
	root, err := compile(comp, doc)
	if err != nil {
		return nil, err
	}
	roots := []*jsonschema.Schema{root}
	for _, pointer := range dynamicAnchors(doc, "", nil) {
		s, err := comp.Compile(schemaURL + "#" + (&url.URL{Fragment: pointer}).EscapedFragment())
		if err != nil {
			return nil, err
		}
		roots = append(roots, s)
	}
	g := newGraph(roots)
	for _, s := range g.all {
		c.count(s)
	}
	c.root, c.known = root, slices.Sorted(maps.Keys(root.Properties))
	if !g.dynamic && !g.circular {
		c.root = c.remember(g)
	}
	c.quiet = bare(root)
	c.quiet.DraftVersion = 2020 // it has an if
	never := false
	c.quiet.If, c.quiet.Else = c.root, &jsonschema.Schema{Bool: &never, DraftVersion: 2020, Location: root.Location}
	c.sealed = true
	return c, nil
}

// count makes a schema report each visit before it asks others.
func (c *checker) count(s *jsonschema.Schema) {
	if s.Bool != nil {
		return
	}
	p, before := priceOf(s), s.Format
	f := &jsonschema.Format{Validate: func(v any) error {
		c.budget.spend(p.of(s, v))
		if before != nil {
			return before.Validate(v)
		}
		return nil
	}}
	if before != nil {
		f.Name = before.Name
	}
	s.Format = f
}

// expression returns one of the library's regular expressions, with its work counted.
// An expression in a value (the format regex) is only parsed: compiling it could take
// a hundred megabytes.
func (c *checker) expression(text string) (jsonschema.Regexp, error) {
	if c.sealed {
		c.budget.spend(0, 1+len(text)/8)
		_, err := syntax.Parse(text, syntax.Perl)
		return nil, err
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	size, err := expressionSize(text)
	return &expression{Regexp: re, c: c, size: size}, err
}

type expression struct {
	*regexp.Regexp
	c    *checker
	size int
}

// MatchString takes a share of the budget for each byte.
func (e *expression) MatchString(s string) bool {
	e.c.budget.spend(0, 1+len(s)*(e.size+20)/512)
	return e.Regexp.MatchString(s)
}

// check validates a value. The first run finds out what is wrong; if it would take too
// much memory to say that, the second run finds out only whether the value fits.
func (c *checker) check(ctx context.Context, args *jsontree.Node) error {
	values, depth := measure(args)
	value, unit := args.Value(), 256+16*depth
	defer func() { c.budget = budget{} }() // the checker stays, and the call does not
	c.budget = budget{ctx: ctx, visits: maxErrors / unit, work: maxWork}
	found, err := c.run(c.root, value)
	if errors.Is(err, errTooComplex) && c.budget.visits < 0 {
		c.budget = budget{ctx: ctx, visits: fewVisits + valueVisits*values, work: c.budget.work}
		if found, err = c.run(c.quiet, value); found != nil {
			return wholly("do not fit the schema, and are too complex to say where")
		}
	}
	switch {
	case errors.Is(err, errTooComplex):
		return wholly("are too complex to be checked against the schema: send less of it at once, or nest it less")
	case err != nil:
		return err
	case found != nil:
		return &ArgumentsError{Faults: flatten(found, args, c.known)}
	}
	return nil
}

// measure returns the number of values of a tree, its root included, and the number of
// levels below it.
func measure(n *jsontree.Node) (values, depth int) {
	for i := range n.Children {
		v, d := measure(&n.Children[i])
		values, depth = values+v, max(depth, 1+d)
	}
	return values + 1, depth
}

// run turns the result of the library, even a panic, into what is wrong with the value
// or into an error.
func (c *checker) run(s *jsonschema.Schema, value any) (found *jsonschema.ValidationError, err error) {
	c.answers.reset()
	defer func() {
		c.answers.reset()
		switch r := recover().(type) {
		case nil:
		case overrun:
			err = r.why
		default:
			err = wholly("cannot be checked against the schema")
		}
	}()
	c.budget.spend(1, 1)
	err = s.Validate(value)
	if found, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return found, nil
	}
	if err != nil {
		err = wholly("cannot be checked against the schema")
	}
	return nil, err
}

// dynamicAnchors finds the schemas that only the library can resolve.
func dynamicAnchors(doc any, pointer string, found []string) []string {
	switch v := doc.(type) {
	case map[string]any:
		if _, ok := v["$dynamicAnchor"].(string); ok {
			found = append(found, pointer)
		}
		for key, member := range v {
			found = dynamicAnchors(member, jsontree.Child(pointer, key), found)
		}
	case []any:
		for i, element := range v {
			found = dynamicAnchors(element, jsontree.Item(pointer, i), found)
		}
	}
	return found
}
