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
//   - Where a marker moves over the options, Enter is typed only after the wanted option
//     was seen to be the marked one. If no key moves it there, the question stays open.
//   - The exact text of a hook wins over the text of the screen.
//   - Of an agent without a profile, no part of an answer is passed on before the
//     agent rests, until two turns have shown the same.
//   - An interrupted turn leaves an empty input and no open question.
//
// A pure state machine decides all of that: it takes what has happened, and returns
// what to do and when to call it again. Its durations are the profile's Timing. One
// engine shows it the world and does what it says; nothing else waits.
//
// Reading order: tui.go; event.go, action.go, phase.go, machine.go and run.go (the
// machine and its engine); machine_ready.go, machine_clear.go, machine_keys.go,
// machine_submit.go and machine_enter.go (a message into the input), machine_follow.go
// and machine_end.go (its answer), machine_question.go, machine_reply.go,
// machine_choose.go and machine_choose_keys.go, machine_stop.go; machine_stranger.go (an
// agent that nobody has described); spell.go.
package tui
