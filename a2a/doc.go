// Package a2a is the model of the Agent2Agent protocol: tasks, messages, events, requests,
// errors and the agent card, in the shapes of version 1.0. It neither reads nor writes
// JSON: package codec does that. It opens no connection: packages server, client and push
// do that.
//
// Section numbers (§) in this package and in those below it are those of the 1.0
// specification.
//
// What it guarantees:
//
//   - There is one model for both versions. The dialects differ in package codec and
//     nowhere else.
//   - An [Event] is encoded once in each dialect, however many subscribers read it.
//   - Every error that a client may see is in the table in errors.go, with its code in each
//     binding. An error that is not an [*Error] never reaches a client.
//   - A [PushConfig] that passes Check can be sent to; package push decides which addresses
//     are allowed.
//
// Read model.go first, then request.go, event.go, errors.go and card.go.
package a2a
