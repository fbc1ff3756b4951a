// Package peer is the contract between a driver and the protocols by which agents are spoken to in
// messages: one [Peer] is our end of such a connection to one process of an agent. A protocol
// knows the wire and the agent; the driver (sidecar/turn/stream) knows the task. Neither knows the
// other but for these types.
//
// Guarantees that a Peer gives:
//
//   - What the agent says of a turn goes to the turn's Events in its order, before Prompt
//     returns, and only while Prompt runs. What comes outside of a turn, or of another conversation,
//     is dropped, and so is what an agent repeats when a conversation is resumed.
//   - Nothing that an agent writes ends the sidecar or grows without a bound: a message that is too
//     long, cannot be read or is not known is passed over, and a request of that kind is answered
//     with an error. The limits are the protocol's constants.
//   - Each request of the agent is answered once, also after the turn has ended.
//   - Prompt returns when the agent has said how the turn ended, or when nothing more can come.
//   - Close ends every goroutine of the Peer, and waits for them.
//
// Guarantees that a Peer gets:
//
//   - Start comes first; then Open and Prompt, one at a time. Cancel, Output, About and Close may come at
//     any time, from other goroutines; Output from one.
//   - The methods of Events that take no context return soon, or wait until the client has taken
//     what was said: a protocol may let its agent wait meanwhile.
//
// Reading order: peer.go, events.go, action.go, option.go.
package peer
