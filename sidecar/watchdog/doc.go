// Package watchdog asks a program of the operator's whether a call may run: a command,
// a service at a Unix socket, or one at an https address. It is asked after the rules,
// for every call that they did not refuse, and before anything is started.
//
// Guarantees:
//   - A watchdog only tightens: its allow leaves what the rules said, its ask makes an
//     allow an ask, its deny denies.
//   - A watchdog that does not answer in time, crashes, or answers anything but one
//     line of JSON with one of the three words denies the call, and the reason says
//     which it was.
//   - An answer holds for the one call. Nothing is remembered.
//   - What can be changed by the agent's user is no watchdog: a command, or the
//     directory of a socket, that was safe at the start and is not any more denies.
//   - The number of questions at once is bounded; waiting for a place is part of the
//     time that a watchdog has.
//   - Ending the call ends the question. After Close nothing of a watchdog runs.
//
// Read watchdog.go first (what is asked and answered), then wire.go (the two lines of
// JSON), asker.go (time limit, bound, shutdown), and the three kinds: command.go,
// socket.go, https.go.
package watchdog
