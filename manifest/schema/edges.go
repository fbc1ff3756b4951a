package schema

import (
	"reflect"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// relation says which value a schema below another is asked about.
type relation uint8

const (
	toSelf         relation = iota // the same value
	toNamed                        // a property of one name
	toProperty                     // one of these schemas is asked about each property
	toEachProperty                 // all of these schemas are asked about each property
	toName                         // a property's name
	toItem                         // one of these schemas is asked about each item
	toEachItem                     // all of these schemas are asked about each item
	toDynamic                      // the same value; which schema it is depends on the way to it
)

// edges visits the schemas that another refers to, and replaces each with what visit
// returns.
func edges(s *jsonschema.Schema, visit func(*jsonschema.Schema, relation) *jsonschema.Schema) {
	one := func(p **jsonschema.Schema, r relation) {
		if *p != nil {
			*p = visit(*p, r)
		}
	}
	list := func(all []*jsonschema.Schema, r relation) {
		for i := range all {
			all[i] = visit(all[i], r)
		}
	}
	either := func(p *any, r relation) {
		switch v := (*p).(type) {
		case *jsonschema.Schema:
			*p = visit(v, r)
		case []*jsonschema.Schema:
			list(v, r)
		}
	}
	for _, p := range []**jsonschema.Schema{&s.Ref, &s.Not, &s.If, &s.Then, &s.Else} {
		one(p, toSelf)
	}
	for _, all := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		list(all, toSelf)
	}
	for name, v := range s.Dependencies {
		either(&v, toSelf)
		s.Dependencies[name] = v
	}
	for name, v := range s.DependentSchemas {
		s.DependentSchemas[name] = visit(v, toSelf)
	}
	for name, v := range s.Properties {
		s.Properties[name] = visit(v, toNamed)
	}
	for expression, v := range s.PatternProperties {
		s.PatternProperties[expression] = visit(v, toEachProperty)
	}
	either(&s.AdditionalProperties, toProperty)
	one(&s.UnevaluatedProperties, toEachProperty)
	one(&s.PropertyNames, toName)
	list(s.PrefixItems, toItem)
	one(&s.Items2020, toItem)
	either(&s.Items, toItem)
	either(&s.AdditionalItems, toItem)
	one(&s.Contains, toEachItem)
	one(&s.UnevaluatedItems, toEachItem)
	one(&s.RecursiveRef, toDynamic)
	if s.DynamicRef != nil {
		one(&s.DynamicRef.Ref, toDynamic)
	}
}

// bare returns a schema that takes the place of another and asks nothing.
func bare(s *jsonschema.Schema) *jsonschema.Schema {
	b := *s // it keeps what only the library sees
	fields := reflect.ValueOf(&b).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); f.CanSet() {
			f.SetZero()
		}
	}
	b.DraftVersion, b.Location = s.DraftVersion, s.Location
	return &b
}
