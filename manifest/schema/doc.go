// Package schema holds a JSON Schema to what can be told of it before it is used,
// and values to a schema, both within a budget: schemas and values come from
// strangers.
//
// Guarantees:
//
//   - [Check] finds every fault of a schema that has an exact place (references,
//     expressions, types), and what the library finds wrong with the rest. A schema
//     that passes Check compiles.
//   - Nothing is fetched: a reference that leaves its document is a fault.
//   - The cost of compiling a schema is bounded, and so is the cost of one validation,
//     in work and in memory, for every combination of schema and value. Whatever would
//     cost more is reported as too complex. A validation ends with its context.
//   - The faults of a value are described in words on which a model or a person can
//     act, each with a JSON pointer. They repeat nothing of the value.
//   - Numbers keep their precision: they stay as text.
//
// Reading order: schema.go, reference.go, keyword.go, metaschema.go and complexity.go
// (a schema), known.go (which compiled before); arguments.go and validator.go (a
// value), defaults.go (what it leaves out), checker.go, budget.go, graph.go, edges.go,
// answers.go and places.go (how its cost is bounded), flatten.go and message.go (what is
// said of it).
package schema
