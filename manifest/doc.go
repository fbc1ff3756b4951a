// Package manifest owns what is declared: the tools that an agent image offers,
// as a JSON array in a file and as Go handlers in a Registry.
//
// Guarantees:
//
//   - A Snapshot is immutable and fully checked. Every name, every schema and
//     every x-sidecar key in it is good; nothing is found out at the first call.
//   - Every fault of a file is reported at once, each with line, column, JSON
//     pointer and, where one is known, the fix.
//   - Nothing is fetched: a schema that refers outside its own document is
//     refused at load.
//   - A Source swaps one pointer. A reader sees the old list or the new one,
//     never an empty or a half one, and a broken file never replaces a good one.
//   - What one validation may take is bounded, in work and in memory, whatever
//     schema and arguments make of each other, and so is what it takes to compile
//     a schema: what is more is too complex, and said to be. A validation ends
//     with its context.
//   - Numbers keep their precision: they stay the text that they were.
//
// Reading order: manifest.go (what a tool is), parse.go (a file, on all cores),
// tool.go, sidecar.go and schema.go (the checks), exec.go and command.go
// (arguments to argv), validate.go (arguments against schemas), checker.go,
// graph.go, answers.go and budget.go (how that is bounded), snapshot.go (what
// is served), source.go, reload.go and watch.go (the file that changes),
// registry.go (Go handlers). Underneath, scan.go and node.go read JSON with
// positions.
package manifest
