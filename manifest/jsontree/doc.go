// Package jsontree reads JSON that a person wrote: each value knows where it
// stands, and everything that is wrong is told at once, with its line, its column,
// its JSON pointer and the fix.
//
// Guarantees:
//
//   - The syntax is that of RFC 8259. What is accepted is valid JSON in which no key
//     stands twice in an object.
//   - Reading goes on after a fault that leaves no doubt about what was meant (a
//     comma too many, a key that stands twice), so that one pass finds them all.
//   - Depth, the digits of a number, its exponent and the number of faults are
//     bounded. So is the number of values where the caller says so. No input makes
//     the package panic, and time grows with the input's length alone.
//   - Numbers stay the text that they were: no digit is lost.
//   - Nothing that a terminal would obey or hide gets into a fault.
//   - A tree shares memory with the text that it was read from.
//
// Reading order: node.go (the tree), parse.go (what is read), fault.go and
// position.go (what is wrong, and where), nearest.go (what was meant), scan.go and
// lexeme.go (how it is read).
package jsontree
