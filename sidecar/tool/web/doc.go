// Package web is the network of the tools that the sidecar brings (tool.Net): it fetches what a URL names.
//
// Guarantees:
//
//   - Every connection is made by the dialer of the call, which judges each host when it is connected to,
//     by patterns of hosts, the rules, and the address that is dialed. That holds for each redirect. There
//     is no proxy, and no connection is used twice.
//   - A request is a GET with a fixed set of headers: no credentials, no cookies, no referrer. A URL
//     with a user name is refused, wherever it comes from.
//   - A fetch ends within Timeout, the end of its body included, or with its context. Redirects, the
//     answer's header and the body are bounded; the body after it was unpacked, so that a small
//     answer that is a large file is read as far as its limit, and no further.
//
// Read web.go, then body.go.
package web
