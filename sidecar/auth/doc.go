// Package auth says who sends a request: by a token of a token file, or by a client
// certificate. It also holds what a server shows of itself over TLS, and how a client
// decides whether to trust it.
//
// What it guarantees:
//
//   - Token files and certificates are followed: a change that is good is in force
//     within about a second, without a gap; one that is not good is logged, counted and
//     told by [Credentials.Faults], and what was read before stays in force.
//   - A token that was taken out, or a certificate that expires or whose authority is
//     not trusted any more, ends what is under way for its caller: the identity's Valid
//     says so.
//   - No error and no log line holds a token.
//   - Tokens are compared in constant time.
//
// Read tokens.go first, then tokenfile.go, certificates.go, caller.go and watch.go;
// client.go is the client's side.
package auth
