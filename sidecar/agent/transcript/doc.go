// Package transcript finds the text of an answer among the rows that an agent
// draws.
//
// What the package guarantees:
//
//   - A [Reader] is pure: it has no goroutine, no clock and no lock, and belongs
//     to one goroutine at a time. What it remembers is bounded.
//   - What [Reader.Read] has returned is never taken back, even if the agent redraws
//     its screen. Each row of an answer costs the same.
//
// Read reader.go for what a caller sees, reader_screen.go and reader_rows.go for how
// rows become text, reader_join.go for how wrapped lines are joined again, and
// reconcile.go for how the text that was read becomes the exact text.
package transcript
