// Package codec reads and writes the Agent2Agent protocol: version 1.0, which is the
// same over JSON-RPC and REST, version 0.3 over JSON-RPC, and version 0.3 over REST.
//
// What it guarantees:
//
//   - A [Dialect] is all that a server has to know about a version and a binding.
//   - Reading is lenient where the versions differ: each dialect accepts the forms of the
//     others, accepts names in camelCase and in snake_case, and ignores members that it
//     does not know. Otherwise it is strict: a wrong type, a duplicate name or too many
//     elements are an error that names the member and the fix.
//   - A card file is read strictly: members that the server does not know are refused.
//   - What is written is valid JSON in valid UTF-8 on one line, whatever it is given.
//   - A text is checked once, as a whole, and then read once. Reading costs memory in
//     proportion to what is kept; depth is bounded.
//   - [DecodeMessage] and [DecodeEvent] read what [EncodeMessage] and [EncodeEvent] wrote
//     for 1.0 without loss.
//
// Read codec.go first. check.go, read.go, call.go, decode.go and model.go read requests;
// shape.go, v10.go, v03.go, v03_rest.go and write.go write results; params.go and results.go
// do the same for a client; card.go and overlay.go handle the agent card.
package codec
