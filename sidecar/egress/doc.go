// Package egress lets a tool reach the hosts that it declares, and no others: a proxy for one
// call, and the dialer beneath it, which the bridge for HTTP uses directly.
//
// Guarantees:
//
//   - Each target is judged by patterns of hosts (netguard.Hosts) before anything is
//     resolved. A name is resolved once, each address is judged, and exactly that address is
//     dialed: what the name means a moment later does not matter.
//   - One listener speaks HTTP (CONNECT, and requests with an absolute http URL) and SOCKS5
//     (CONNECT, with names). A client shows the call's secret, or is refused before its
//     target is looked at: the proxy of another call is of no use.
//   - After the patterns, a Judge rules on each target. One that panics, or has not ruled within
//     JudgeTimeout, refuses that target, and holds up neither the other connections nor Close.
//   - Limits: connections at once, bytes of a request's head, the time for a head, for a name
//     and a connection, and the time without a byte in either direction.
//   - Each target that is judged is told once, when its connection has ended: host, address,
//     verdict and bytes. So is a client with a wrong secret.
//   - Close ends every connection and returns when every goroutine has ended, but for that of
//     a Judge that ignores the end of its context. Each direction of a tunnel has a goroutine
//     of its own: a reader that stalls holds up nobody else.
//
// One host is no network: ChannelHost is the sidecar's own channel, for a program that can make no
// Unix socket, if the proxy has been given one (Options.Channel).
//
// What is judged is where a connection goes. What is said in an encrypted one, a TLS server
// name included, is not seen.
//
// Reading order: dialer.go and judge.go (a target is judged and dialed), proxy.go (connections
// and their owner), http.go and socks.go (the two protocols), tunnel.go, channel.go, environ.go
// (what a program is told).
package egress
