// Package learn learns a profile for an unknown screen agent by watching one message and its answer.
// It finds where the input is, what the input shows while nothing is typed, how a message looks
// after it was sent, and what stands on the screen only while the agent works.
//
// What the package guarantees:
//
//   - A [Learner] is pure: it has no goroutine, no clock and no lock, and belongs to one
//     goroutine at a time. Its memory is bounded, and so is the work of each call.
//   - A [File] is always a valid profile. A part that a profile would refuse is left out.
//   - Everything that was only guessed is listed in File.Unsure.
//
// Read learner.go for the stages of a turn, input.go for the input, work.go for what stands on
// the screen while the agent works, sign.go for the signs of work among it, answer.go and
// chrome.go for the echo and the answer, write.go for how the file is written, and check.go for
// how it is checked.
package learn
