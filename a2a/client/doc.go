// Package client speaks the Agent2Agent protocol to a server: version 1.0 over
// JSON-RPC, and the sidecar's own endpoints for tools.
//
// What it guarantees:
//
//   - If the server refuses a request, the error is an [*a2a.Error] with the server's text.
//     If no A2A server would answer so, it is a [*ForeignError].
//   - A call ends with its context. The task that it started does not.
//   - An answer, or an item of a stream, longer than MaxFrame is refused, not read.
//   - An incomplete item of a stream that broke off is not returned.
//
// Read client.go first, then call.go and stream.go.
package client
