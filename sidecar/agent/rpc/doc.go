// Package rpc is a connection to a process that speaks JSON-RPC 2.0 in lines, one message a line, both
// ways.
//
// Guarantees:
//
//   - What the process writes is handled in its order, by the goroutine that calls Output: when a Call
//     returns, everything that came before its response has been handled. A handler of notifications
//     that waits makes the process wait.
//   - Each request of the process is answered once, on a goroutine of its own, of which there are at
//     most Options.MaxRequests: more are refused at once. Two open requests with one id are both answered.
//   - A line that is no message is passed over; one that is longer than Options.MaxMessage is
//     skipped to its end, and what waits for it fails.
//   - No write of ours waits for a lock that is held while another waits for the process to read: writes
//     come one at a time, and a process that does not read holds up those who write to it, nobody else. Close
//     closes the writer, which ends them.
//   - Close fails every Call, ends the context of every request, and returns when their goroutines
//     have ended.
//
// Reading order: conn.go (a connection and its calls), read.go (what the process writes), lines.go,
// message.go (the wire). [Lines] serves other protocols in lines, too.
package rpc
