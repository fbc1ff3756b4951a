// Package channel is the structured side connection between a wrapped agent
// and the sidecar: a Unix socket with newline-delimited JSON-RPC 2.0.
//
// Guarantees:
//
//   - A connection that has not said initialize with a granted token, from an
//     allowed uid, can do nothing. The token fixes the one Owner that the connection
//     reaches. A token that was granted for a process (GrantProcess) works only for
//     that process, for its descendants, and for orphans of it that carry the token;
//     other processes are refused and told why. Where there is no /proc, and on
//     darwin, token and uid decide. A connection that was made in the name of a token
//     (Join) can use that token alone.
//   - Connections are counted by token; those without a token yet are counted by the
//     program that they come from. So an agent that floods the socket takes nothing
//     from others.
//   - What a connection sends reaches the Owner in the order in which it was sent,
//     one statement at a time; only asks and tool calls run beside the others.
//   - A tool call of an agent (tools/call) is answered once, when it has ended. It is
//     stopped by tools/cancel and by the end of its connection. Its progress is left
//     out for a peer that reads slowly.
//   - What a hook reports of the agent (session/report) does not end a turn and asks
//     nobody: it is passed to the session, which decides what to make of it.
//   - What exceeds a frame goes by a file in the outbox of the connection's own program, if the
//     program takes files: arguments (argumentsFile) and results (_meta.file). The sidecar opens
//     it by its single name in the open directory and follows no link; it takes only a plain file
//     of the program's user, with one name and at most Options.MaxFile bytes, and removes it
//     before the call is admitted. Results that nobody has read are removed with the connection.
//   - tools/answer answers a question of a call of the same connection, and never an approval.
//   - A peer that does not read is cut off: it never blocks the sidecar or
//     another connection.
//   - When a connection ends, its questions are withdrawn, and what was delivered to
//     it fails with ErrLost.
//   - Close waits for every goroutine and removes the socket. A directory left
//     by a sidecar that was killed is swept by the next one.
//
// A message may carry more than its content, in both directions: status,
// artifact, question, answer, done, message and the answer to it each take
// "metadata", an object, and "extensions", the URIs of the A2A extensions that it
// uses; parts take "metadata", "filename" and "mediaType", an artifact takes
// "description".
//
// The limits are MaxFrame bytes for a frame; for each token, MaxLong frames of more
// than 64 KiB at a time and MaxConns connections; HandshakeTime until initialize; for
// each connection, MaxAsks unanswered asks, MaxToolCalls unanswered tool calls, MaxCalls
// unanswered requests of the sidecar, and QueueFrames and QueueBytes that wait to be
// written; and WriteTime for a peer to take one frame. For files they are MaxFiles calls with arguments of a file for
// each token and MaxAllFiles for all, and MaxUnread results of each connection. So files cost at
// most (MaxAllFiles + 4) times Options.MaxFile of memory, in addition to what a call itself makes
// of its arguments and its result.
//
// Reading order: server.go (listen, grant), conn.go (one connection),
// methods.go (what an agent may say), call.go (its tool calls), outbox.go and conn_files.go (what exceeds a frame), answer.go, offer.go (what we ask of an agent),
// client.go (the other end), frame.go and message.go (the wire), wire.go
// (parts and results), rundir.go (where the socket lives).
package channel
