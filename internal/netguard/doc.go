// Package netguard keeps requests away from addresses that a stranger must not make
// this program reach: a client that names a URL could otherwise have it send to the
// local network, to services on this machine or to a cloud's metadata service.
//
//   - [Guard.Control] judges the address that is dialed, after a name has been
//     resolved and for each connection that a redirect makes: what a name meant
//     when it was checked does not matter.
//   - [Kind] knows every range that is not part of the public internet, and IPv4
//     addresses inside IPv6 ones by the address that they stand for.
//   - [Guard.CheckHost] only tells earlier what Control would refuse anyway.
//   - A proxy would dial in our place: a client that is guarded must use none.
//   - [Guard.Allow] holds the exceptions of whoever runs the program.
//   - [Hosts] is the other way round: nothing is allowed but what a [HostPattern]
//     names. What was asked for is judged first, then each address that it means;
//     an address that is not public needs a pattern of addresses.
//   - [ParseTarget] reads what a caller wrote, a URL or a host, in one way only: what
//     two readers could take for two hosts is refused.
package netguard
