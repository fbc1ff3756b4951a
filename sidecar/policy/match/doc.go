// Package match holds patterns against what a call uses: paths, hosts, commands and
// arguments. It knows no rules and no scopes.
//
// Guarantees:
//   - A pattern is checked when it is parsed; matching never fails. A pattern that can be
//     parsed but can never match is an [Error] with Never set.
//   - Time is bounded: a pattern with more wildcards than a person writes is refused.
//   - Each pattern answers two questions. Covers: everything that the value may be is
//     inside the pattern; a rule that allows asks this. Touches: the value may be inside
//     it; rules that deny or ask do. For a value that is wholly known they differ in
//     names that mean the same (a program by its path, a host at another port).
//   - [Rank] orders patterns that match the same value. Of two that are not comparable, such
//     as /srv/** and **/.env, neither is the more specific.
//
// Read match.go, then text.go, path.go, host.go and command.go.
package match
