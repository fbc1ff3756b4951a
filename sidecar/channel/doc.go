// Package channel is the structured side connection between a wrapped agent
// and the sidecar: a Unix socket with newline-delimited JSON-RPC 2.0.
//
// Guarantees:
//
//   - A connection that has not said initialize with a token that was granted,
//     from an allowed uid, does nothing. The token fixes the one Owner that the
//     connection reaches. One that was granted for a process (GrantProcess) is of
//     use to that process alone, to what descends from it, and to orphans of it
//     that carry the token; the others are told why not. Where there is no /proc,
//     and on darwin, token and uid decide.
//   - Connections are counted by token, and those without one yet by the program
//     that they come from: a flood is its own agent's.
//   - What a connection sends reaches the Owner in the order it was sent, one
//     call at a time; only Ask runs beside the others.
//   - What a hook reports of the agent (session/report) ends no turn and asks
//     nobody: it is handed to the session, which makes of it what it likes.
//   - A peer that does not read is cut off: it never blocks the sidecar or
//     another connection.
//   - A connection that ends withdraws its questions and fails what was
//     delivered to it with ErrLost.
//   - Close waits for every goroutine and removes the socket. A directory left
//     by a sidecar that was killed is swept by the next one.
//
// What is said may carry more than its content, in both directions: status,
// artifact, question, answer, done, message and the answer to it each take
// "metadata", an object, and "extensions", the URIs of the A2A extensions that it
// uses; parts take "metadata", "filename" and "mediaType", an artifact takes
// "description".
//
// Limits: MaxFrame bytes a frame, MaxLong frames of more than 64 KiB at a time and
// MaxConns connections a token, HandshakeTime until initialize, MaxAsks unanswered asks and MaxCalls unanswered requests of ours
// per connection, QueueFrames and QueueBytes waiting to be written, WriteTime
// for a peer to take one frame.
//
// Reading order: server.go (listen, grant), conn.go (one connection),
// methods.go (what an agent may say), offer.go (what we ask of an agent),
// client.go (the other end), frame.go and message.go (the wire), wire.go
// (parts and results), rundir.go (where the socket lives).
package channel
