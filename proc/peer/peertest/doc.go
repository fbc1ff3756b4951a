// Package peertest hides the holder of a TCP connection, in the ways that a program has which
// wants to be taken for somebody else. It is for tests, which run it in a separate process,
// because that process cannot be used for anything else afterwards.
package peertest

// The ways to hide.
const (
	Thread = "a thread with a table of files of its own"
	Flight = "a socket in flight between two sockets"
	Ring   = "a file that is registered with io_uring"
	Leader = "a process whose main thread has ended"
)
