// Package peer tells who is at the other end of a TCP connection on this machine: a process that
// this one has started, another one, or somebody who hides.
//
// # Guarantees, on Linux
//
//   - [Own] means that a descendant of this process was seen to hold the connection, in the file
//     table of any of its threads.
//   - [Other] is never the answer just because no holder was found. It means that the holder was
//     seen to be another process, that none of our processes can have made the socket, or that
//     the other end is on another machine.
//   - A descendant that hides (a socket in flight between two sockets, one registered with
//     io_uring, one that was handed to another program, one that is closed already) is [Hidden],
//     where the kernel tells enough.
//   - Where no process can be seen (no /proc), the answer is [Unseen].
//   - An answer takes a few milliseconds and is not cached. Nothing is kept open, no goroutine
//     is started, and all functions may be called from many goroutines.
//   - Of a Unix socket the kernel tells it: [Unix].
//   - It cannot see through a proxy, nor into other network namespaces.
//
// # Reading order
//
// peer.go (the answers), peer_linux.go (how one is found), socket_linux.go (the socket at the
// other end: its user, inode and cgroup), program_linux.go (whether it is our own program); unix.go
// stands alone.
//
// # On darwin
//
// Nobody can be seen, and every peer of a TCP connection is Other, our own processes too: none of
// the guarantees above holds, but that of a Unix socket.
package peer
