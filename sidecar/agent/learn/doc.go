// Package learn finds out how an agent that nobody has described is spoken to on its
// screen, from one message and its answer: where its input is, what stands there while
// nothing is typed, how the message is shown once it was sent, and what moves while the
// agent works and has gone when it rests. What it makes of that is a profile, in the
// words of a profile's file.
//
// What the package guarantees:
//
//   - A [Learner] is pure: it has no goroutine, no clock and no lock, and belongs to one
//     goroutine at a time. What it remembers is bounded.
//   - What it writes is a valid profile, whatever it was shown.
//   - What was not seen is not claimed: a [File] lists what is unsure.
//
// Read learner.go for the moments of a turn, input.go for the input, work.go for the
// signs of work, answer.go for the echo and the answer, and file.go for what is written.
package learn
