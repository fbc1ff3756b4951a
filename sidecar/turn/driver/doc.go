// Package driver is the contract between a turn and the ways to speak to an
// agent. A way is one folder next to this one; the runner knows all of them by
// these types only, and they know nothing of the runner.
//
// Guarantees that a driver gives:
//
//   - Deliver and Call return when the agent has answered, when the turn is over,
//     or soon after their context has ended. They do not stop an agent that
//     lives longer than the turn: Interrupt does, and is only called after them.
//   - The answer goes to the turn's Out as it comes. A driver keeps at most the
//     head of it.
//   - What the driver learns about the turn is noted there, in the words of the
//     task's metadata. The task's end is not the driver's to say: it returns an
//     Outcome, and the turn decides.
//
// Guarantees that a driver gets:
//
//   - Only one Deliver or Call at a time, and no Interrupt or Idle at the same time.
//   - A turn's methods may be called until Deliver or Call returns.
//
// Reading order: driver.go, turn.go, outcome.go, call.go; then parts.go,
// toolcall.go and capture.go, what several drivers need.
package driver
