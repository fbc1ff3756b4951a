// Package server serves the Agent2Agent protocol over HTTP: both versions over JSON-RPC
// and REST on one port, the agent card, the tool list and the health paths. It hands
// work to a [Handler] and knows nothing of what executes it.
//
// What it guarantees:
//
//   - A method name or a path decides the dialect, and what is refused is refused in
//     the dialect of the one who asked, before any work starts.
//   - A request is never half understood: bodies, headers, URLs, nesting and waiting are
//     bounded, and so is what one caller holds (requests, streams, bytes of bodies).
//   - A client that stops reading, sends its body too slowly or goes away costs nobody
//     else anything, and stops no task. A client that only sends no more (half-closed)
//     gets its answer.
//   - What a subscriber has missed goes out in one write. A client that comes back with
//     the id of the last event it has gets what came after, as long as that is kept.
//   - Once callers must show who they are, every path but those of the card and of
//     health needs it, and what is under way ends with the credentials that began it: a
//     stream at its next event or heartbeat.
//   - What is mounted beside A2A's own paths ([Mount]) is behind the same checks.
//   - A web page gets nothing by making its own name resolve to this server, and reads
//     nothing unless its origin was named.
//   - A panic in the handler is one request's internal error.
//
// Read server.go first, the way of a request; then route.go, jsonrpc.go, rest.go,
// operation.go and sse.go; then limits.go and callers.go.
package server
