// Package output is what becomes of what a tool says: it takes secrets out of it while it
// streams, and keeps what is too long for an envelope in a side file.
//
// Guarantees:
//   - A Redactor never changes after it was made and may be used from many goroutines. A
//     Stream belongs to one goroutine. What is a secret does not depend on how the text
//     was cut into chunks.
//   - A Stream holds back only what may still become a secret: the beginning of a match,
//     never more than the longest match. Text that begins no secret is passed on at once.
//   - Redaction costs time in proportion to the text, whatever the text is, and memory in
//     proportion to the rules. A nil Redactor passes everything on and costs nothing.
//   - A pattern without a bound is refused when it is read, with the fix; only its last
//     element may be open-ended.
//   - A side file is private (0600 in a 0700 directory of the caller's choice), gets only
//     what was redacted, has at most Options.Limit bytes, and is opened beneath that
//     directory without following links.
//   - All files have at most Options.Total bytes together: the oldest whole ones make room, and one
//     that is still written is never removed for another. The whole files of a session go when it
//     ends.
//   - Forgotten files are removed by a goroutine of the Store's own; Close waits for it
//     and removes the rest.
//
// Reading order: redactor.go (the rules), forms.go (how a value may be written),
// shapes.go (what secrets of known services look like), pattern.go (an expression as
// positions), automaton.go (which positions are reached), stream.go (chunks in, redacted
// chunks out); store.go and file.go for side files.
package output
