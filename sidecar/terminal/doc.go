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
//   - Nobody who watches holds the agent, or makes the sidecar grow: what is kept
//     is the last 256 KiB of each session's output, whoever watches. Who is
//     further behind gets a fresh picture of the screen in place of the bytes;
//     who takes nothing for the stall limit is cut off.
//   - A picture comes first, and draws the screen on an empty terminal of the size
//     it names. The bytes that follow it are all the agent's, in order, each once;
//     so are those of a stream that is taken up again by its last event's id.
//   - A caller sees and types into its own sessions only, and those that have
//     served nobody yet. When one of those becomes somebody else's, or the caller's
//     credentials end, so does what is shown. Options.Off closes all of it.
//   - Keys are held while a turn types, as a person's at the terminal are. They are
//     written nowhere: not to the log, not to a recording.
//   - Close ends everything and waits for it, connections that were taken over
//     from net/http among it.
//
// Reading order: handlers.go, show.go, then one file per path.
package terminal
