// Package tui is the driver for an agent that draws its screen: a message is
// typed into its input, and the answer is read from its screen or told by its
// hooks.
//
// Guarantees:
//
//   - Nothing is typed while the agent is not ready, while a person is in the
//     middle of a line, or while other text stands in the input.
//   - Enter is typed once, unless the agent shows that it took the first one for
//     text. A message that the agent does not take is an error, never an empty
//     answer.
//   - An answer to what the agent asks is typed only while that question is there.
//     A question that a person answers is withdrawn; of two answers at the same
//     time one is typed, and the other caller is told.
//   - The exact text of a hook wins over the text of the screen.
//   - An interrupted turn leaves an empty input and no open question.
//
// Reading order: tui.go; submit.go, enter.go and clear.go (a message into the
// input); answer.go (the turn, from Enter to its end); question.go, first.go and
// secret.go (what the agent asks); idle.go, dismiss.go, redraw.go.
package tui
