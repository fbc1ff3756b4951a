// Package auth says who sends a request: by a token of a token file, or by a client
// certificate. It also holds the certificates that a server shows over TLS, and decides for
// a client whether to trust a server.
//
// What it guarantees:
//
//   - Token files and certificates are followed: a valid change is in force within about a
//     second, without a gap; an invalid one is logged, counted and reported by
//     [Credentials.Faults], and what was read before stays in force.
//   - If a token is removed, or a certificate expires or its authority is not trusted any
//     more, the requests of its caller end: the identity's Valid reports it.
//   - No error and no log line holds a token.
//   - Tokens are compared in constant time.
//
// Read tokens.go first, then tokenfile.go, certificates.go, caller.go and watch.go;
// client.go is the client's side.
package auth
