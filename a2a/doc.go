// Package a2a is the wire: the Agent2Agent protocol in the versions 1.0 and 0.3
// over JSON-RPC and REST, as server and client, with the agent card, the tool
// list and the health paths beside it. It knows nothing of what executes the
// work: that is behind [Handler].
//
// Section numbers (§) in this package are those of the 1.0 specification.
//
// What it guarantees:
//
//   - One model ([Task], [Message], [Part] …) in the shapes of 1.0. The
//     dialects differ in the codecs and nowhere else.
//   - A method name or a path decides the dialect; both versions are served on
//     one port at the same time.
//   - An event is encoded once per dialect however many subscribers read it,
//     and what a subscriber has missed goes out in one write.
//   - A client that stops reading, sends its body too slowly or goes away costs
//     nobody else anything, and stops no task.
//   - A client that only sends no more (half-closed) gets its answer; one that is gone
//     is found out at the next heartbeat, by what is sent to it.
//   - Events carry their place in their task's stream as ids: a client that
//     comes back with the last one it has gets what came after, and no snapshot
//     as long as that is kept.
//   - A request is never half understood: bodies, headers, URLs, nesting and
//     waiting are bounded, and what is refused is refused in the dialect of the
//     one who asked, before any work starts.
//   - A notification goes to no address that is not public, unless that is
//     allowed: what counts is the address that is dialed.
//   - Once callers must show who they are, every path but those of the card and
//     of health needs it, and what is under way ends with the credentials that
//     began it: a stream at its next event or heartbeat.
//   - What one caller holds (requests, streams, bytes of bodies) is bounded, and
//     what is remembered of callers is bounded too.
//   - What is mounted beside A2A's own paths ([Mount]) is behind the same checks and
//     limits.
//   - A web page gets nothing by making its own name resolve to this server, and reads
//     nothing unless its origin was named (host.go, cors.go).
//   - An error that is not an [*Error] never reaches a client; a panic in the
//     handler is one request's internal error.
//
// Reading order: model.go, handler.go, errors.go, event.go; then server.go, the
// way of a request, with server_route.go, jsonrpc.go, rest.go, server_ops.go
// sse.go and presence.go; then codec.go and the codecs; push.go and push_send.go;
// auth.go, auth_file.go, auth_watch.go and tls.go; limit_options.go and
// limit_callers.go; mount.go; client.go.
package a2a
