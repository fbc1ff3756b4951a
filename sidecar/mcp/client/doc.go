// Package client makes tools of what MCP servers offer, and calls them.
//
// Guarantees:
//
//   - A server harms only itself. What it sends is bounded in bytes, counts and time, before
//     it is kept; a tool with a fault loses that tool, never the list; a list with a fault
//     changes no other server's.
//   - A call is sent only if the server's definition is the one that the call was judged by.
//   - A server is started by the first call or list, stopped when it is not used, and started
//     again with growing delays after it failed. Its list outlives it.
//   - A newer configuration of a server takes new calls, while the older one ends the calls
//     that it has.
//   - What servers say is raw where it is data (schemas, arguments, structured results) and
//     cleaned where it is words (names, errors, progress).
//   - Close waits for everything that was started.
//
// The transports are the SDK's; the session above them is not, for the reasons that session
// names.
//
// What a hostile server can cost: of memory, about six times MaxMessage for a message that is
// read (the line, its decoded parts and the result; a longer one is skipped and not kept), and
// the limits of list.go for its list; of time, that of reading what it sends, until the limits
// of session.go end the connection.
//
// Reading order: call.go (a call and its listener); server.go (what is configured); servers.go
// (all servers); instance.go, run.go and life.go (one server: its calls, its connection, its
// states); session.go, handshake.go, serve.go and listen.go (a connection); lines.go, http.go
// and headers.go (its bytes); list.go, define.go and name.go (tools); running.go and content.go
// (what a call hears and gets).
package client
