// Package acp speaks the Agent Client Protocol (https://agentclientprotocol.com, version 1) to any agent
// that knows it: a peer.Peer from what initialize says, with no knowledge of single agents.
//
// Guarantees, in addition to those of package peer:
//
//   - What an agent sends is read member by member: what is missing, of another type or unknown costs
//     that member, or at most that update.
//   - The turn ends with the response to its prompt: no update after it is told.
//   - A permission is chosen by the kind of its options, never by their names or ids. The agent
//     is told "allow once" whenever it offers that. It is told "canceled" if no option fits, if the turn is over
//     or stopped, and if the permission is of another conversation.
//   - Files and terminals are the turn's: requests for them outside of it are refused.
//   - An option of --agent-option that the agent does not offer is an error that lists what it offers.
//
// Reading order: peer.go (the connection), handshake.go (initialize), open.go and options.go (a conversation and
// what was chosen for it), turn.go (a prompt from its start to its end), content.go (what the agent gets), ending.go
// (how it ended); update.go, block.go and tool.go (what the agent says), permit.go and action.go (what it asks for),
// machine.go and terminal.go (what it does through us); decode.go.
package acp
