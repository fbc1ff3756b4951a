// Package client speaks the Agent2Agent protocol to a server: version 1.0 over
// JSON-RPC, and the sidecar's own endpoints for tools.
//
// What it guarantees:
//
//   - What the server refuses is an [*a2a.Error] with the server's text; what no A2A
//     server would answer is a [*ForeignError].
//   - A call ends with its context. The task that it started does not.
//   - An answer, or an item of a stream, longer than MaxFrame is refused, not read.
//   - An item of a stream that broke off in its middle is not told of.
//
// Read client.go first, then call.go and stream.go.
package client
