// Package push sends push notifications to the receivers that clients name (§4.3.3, §13.2),
// one attempt at a time. The caller decides when to send and when to try again.
//
// What it guarantees:
//
//   - A notification goes to no address that is not public, unless that address is
//     allowed: what counts is the address that is dialed, whatever a name resolved to
//     before and wherever a receiver redirects to. No proxy is used.
//   - Credentials and tokens are sent only to the host that they are for, and never over
//     plain text after TLS.
//   - An attempt ends within its timeout, and reads a bounded part of the answer.
//   - An [*Error] names the receiver's host, and never the rest of the URL, the token,
//     the credentials or the receiver's own words.
//
// Read sender.go first.
package push
