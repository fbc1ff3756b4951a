// Package schema holds a JSON Schema to what can be told of it before it is used,
// and values to a schema, both within a budget: schemas and values come from
// strangers.
//
// Guarantees:
//
//   - [Check] finds every fault of a schema that has an exact place (references,
//     expressions, types), and what the library has against the rest. A schema that
//     is good there compiles.
//   - Nothing is fetched: a reference that leaves its document is a fault.
//   - What it takes to compile a schema is bounded, and so is what one validation
//     takes, in work and in memory, whatever schema and value make of each other.
//     What takes more is too complex, and said to be. A validation ends with its
//     context.
//   - What is wrong with a value is told in words that a model or a person can act
//     on, each with a JSON pointer, and repeats nothing of the value.
//   - Numbers keep their precision: they stay the text that they were.
//
// Reading order: schema.go, reference.go, keyword.go, metaschema.go and complexity.go
// (a schema), known.go (which compiled before); arguments.go and validator.go (a
// value), checker.go, budget.go, graph.go, edges.go, answers.go and places.go (how its
// cost is bounded), flatten.go and message.go (what is said of it).
package schema
