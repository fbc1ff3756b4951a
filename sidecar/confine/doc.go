// Package confine puts the program of an exec tool into a sandbox that lets it use what the
// tool requires, and nothing else: the third layer, after the checks of what a call uses and
// the rules. It turns package capability's Set into package sandbox's Rules.
//
// Guarantees:
//
//   - A program can read what it needs to start (package sandbox's System, its own directory,
//     its interpreter, the commands that it may run) and what its tool may read. It can write
//     what its tool may write. Each call also has its own folder.
//   - What is compiled belongs to one definition of a tool. A manifest that changes gives the
//     next call another sandbox; a call that runs keeps its own.
//   - A pattern that the kernel cannot hold becomes its literal beginning, and is told as wider.
//     A link in the place of what is declared is an error, in every mode.
//   - In the mode "required", a tool is refused if anything that it declares cannot be held; in
//     the mode "auto", that is logged once for each definition.
//
// The wrapped agent's own process can have such a sandbox too (ForAgent): always by all layers, and in a
// network of its own, or not at all.
//
// Reading order: confine.go (a tool's sandbox), compile.go (its rules), program.go (what a
// program needs), agent.go (the agent's own), places.go (directories that are made, and the sidecar's own files), facts.go
// (what can be said about this machine).
package confine
