// Package terminal lets callers watch an agent's terminal, and type into it, over
// HTTP.
//
//	GET /terminal         what it shows now, as text or JSON (snapshot.go)
//	GET /terminal/stream  what it shows from now on, as server-sent events (stream.go)
//	GET /terminal/attach  the same over a WebSocket, which also takes keys (attach.go)
//
// All take ?session=NAME or ?context=ID where a caller has several sessions.
//
// Guarantees:
//
//   - A watcher never blocks the agent and never makes the sidecar grow: only the
//     last 256 KiB of each session's output are kept, however many watch. A watcher
//     that is further behind gets a new picture of the screen in place of the bytes.
//     A watcher that takes nothing for the stall limit is cut off.
//   - A picture comes first, and draws the screen on an empty terminal of the size
//     it names. The bytes that follow it are all of the agent's output, in order,
//     each once. The same holds for a stream that is resumed with the id of its last
//     event.
//   - A caller sees, and types into, only its own sessions and those that have
//     served nobody yet. If such a session becomes another caller's, or the caller's
//     credentials end, the stream ends too. Options.Off switches all of it off.
//   - Keys are held while a turn types, as those of a person at the terminal are.
//     They are not written to the log or to a recording.
//   - Close ends everything and waits for it, including connections that were taken
//     over from net/http.
//
// Reading order: handlers.go, show.go, then one file per path.
package terminal
