// Package lockfile reads and writes the file that says which definitions of MCP servers' tools an
// operator has seen: for each server its version, and for each of its tools a hash.
//
// Guarantees:
//
//   - The same servers give the same bytes.
//   - The file is replaced as a whole: a reader sees the old one or the new one.
//   - A file with a fault is refused, with every fault and its place.
//
// Reading order: lockfile.go (the file), compare.go (what differs).
package lockfile
