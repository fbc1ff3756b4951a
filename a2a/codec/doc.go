// Package codec reads and writes the Agent2Agent protocol: version 1.0, which is the
// same over JSON-RPC and REST, version 0.3 over JSON-RPC, and version 0.3 over REST.
//
// What it guarantees:
//
//   - A [Dialect] is all that a server has to know of a version and a binding.
//   - Reading is generous where the versions differ: each dialect takes the shapes of
//     the others, names in camelCase and in snake_case, and passes over members that it
//     does not know. It is strict otherwise: a wrong type, a name that is there twice or
//     more elements than fit is an error that names the member and the fix.
//   - A card file is read strictly: what the server does not know, it refuses.
//   - What is written is valid JSON in valid UTF-8 on one line, whatever it is given.
//   - Reading costs memory in proportion to what is kept, and depth costs nothing.
//   - What [EncodeMessage] and [EncodeEvent] wrote for 1.0 is read again by
//     [DecodeMessage] and [DecodeEvent] without a loss.
//
// Read codec.go first. decode.go, model.go and read.go are how requests are read;
// shape.go, v10.go, v03.go, v03_rest.go and write.go how results are written; params.go
// and results.go the same for a client; card.go and overlay.go the agent card.
package codec
