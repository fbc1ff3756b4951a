// Package jsontree reads JSON that a person wrote: each value knows where it
// stands, and everything that is wrong is told at once, with its line, its column,
// its JSON pointer and the fix.
//
// Guarantees:
//
//   - The syntax is that of RFC 8259. Only valid JSON is accepted, in which no key
//     occurs twice in an object.
//   - Reading continues after a fault that leaves no doubt about what was meant (an
//     extra comma, a key that occurs twice), so that one pass finds them all.
//   - Depth, the digits of a number, its exponent and the number of faults are
//     bounded. The number of values is bounded if the caller says so. No input makes
//     the package panic, and time grows only with the length of the input.
//   - Numbers stay as text: no digit is lost.
//   - A fault contains no character that a terminal would obey or hide.
//   - A tree shares memory with the text that it was read from.
//
// Reading order: node.go (the tree), parse.go (what is read), decoder.go (how values are
// taken out), fault.go and position.go (what is wrong, and where), nearest.go (what was
// meant), scan.go and lexeme.go (how it is read).
package jsontree
