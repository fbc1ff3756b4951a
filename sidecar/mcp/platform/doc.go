// Package platform brings in the tools of the platform that the sidecar runs on: those of one MCP
// server, its proxy, which says by a token for whom it is asked. Each turn has a token of its own,
// from the message that began it.
//
// Guarantees:
//
//   - A token is the turn's alone. It is taken out of the message before anything keeps or shows
//     that (Take), is in memory only, and is forgotten when the turn ends. Where the platform
//     repeats it, in a result, an error or a definition, it is taken out again.
//   - A turn has a connection of its own, made by the first who asks for its tools and closed with
//     the turn. A call goes to the connection that its tool came from: never to that of another
//     turn, and to none after the end of its own.
//   - The tools are in the namespace "sv" and are seen by the processes that work for the turn,
//     and by those of the tools that these call. For all others they are absent: "task".
//   - The token goes to the configured address only: no redirect is followed, and no proxy used.
//     The address has TLS, or is on this machine.
//   - What the platform sends is bounded in bytes, counts and time (limits.go, package client).
//   - For never blocks. Close waits for everything that was started.
//
// Reading order: token.go (out of a message), platform.go (the turns), connection.go (one turn),
// reach.go (the address), redact.go.
package platform
