// Package dial reaches MCP servers: it starts those that are programs in a sandbox, and connects
// to those that have an address.
//
// Guarantees of a program:
//
//   - It is confined like the program of an exec tool: it may use what its entry requires and
//     nothing else. Hosts are reached through a proxy of its own. Its TMPDIR and, unless it may
//     read its home, its HOME are private, and are removed when it has ended.
//   - Its environment is that of every tool's program, with the variables of its entry. It holds
//     nothing that is the sidecar's own: no socket, no token.
//   - A process has one waiter. When the connection is closed, its standard input is closed
//     first; what has not ended after StdinGrace gets TERM, and after the grace KILL, with
//     everything that it started. The same becomes of what a process that ended has left running.
//   - The end of its standard error is kept, and the last line is in the error with which its
//     output ends.
//
// Guarantees of an address:
//
//   - Only its own host and those that its entry requires are connected to, wherever the server
//     redirects to; its headers are sent to its own origin only. An address that is not public
//     must be written as an address, or be localhost.
//   - There are no cookies, and no proxy of the environment.
//   - Neither a header nor a URL's query is logged or is in an error.
//
// Reading order: dialer.go, program.go (the start), process.go (the life of one), http.go.
package dial
