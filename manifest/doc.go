// Package manifest owns what is declared: the tools that an agent image offers,
// as a JSON array in a file and as Go handlers in a Registry.
//
// Guarantees:
//
//   - A Snapshot is immutable and fully checked. Every name, every schema and every
//     x-sidecar key in it is valid; no fault appears only at the first call.
//   - Every fault of a file is reported at once, each with line, column, JSON pointer
//     and, if it is known, the fix ([jsontree.Faults]).
//   - Schemas and arguments cost no more than package schema allows.
//   - A Source swaps one pointer. A reader sees the old list or the new one,
//     never an empty or a half one, and a broken file never replaces a good one.
//   - The arguments of a call are parsed once: what [Snapshot.Validate] returns is
//     what [Exec.Argv], [HTTP.Expand] and [Tool.PromptText] put into commands, URLs and
//     prompts.
//
// Reading order: manifest.go (what a tool is); parse.go (a file, on all cores),
// check.go, tool.go, name.go, sidecar.go, command.go, program.go and http.go (its
// checks); requires.go, uses.go and limits.go (what a call needs and may take);
// snapshot.go and validate.go (what is served, and held against a schema); exec.go,
// http_expand.go, template.go and property.go (arguments to argv and URLs); source.go,
// read.go and reload.go (the file that changes); registry.go (Go handlers);
// jsonschema.go (the schema of manifests).
package manifest
