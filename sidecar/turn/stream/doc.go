// Package stream is the driver for every agent that is spoken to in messages, through a peer.Peer:
// one that speaks ACP, or a stream of its own. The peer knows the wire and the agent; the driver knows
// the task.
//
// Guarantees:
//
//   - Words go into the answer at once, in their order. Everything else that an agent says is bounded in
//     bytes, in count and in rate: what is left out is noted in the task's metadata.
//   - One goroutine, the turn's, writes what an agent says into the task. The peer's goroutine
//     waits until that is done, so an agent never runs ahead of its readers.
//   - When a turn is stopped, what the agent asks for is withdrawn, and what it says from then on belongs
//     to no turn: a turn has Events of its own. The agent counts as busy until its Prompt has
//     returned, and no other message is given to it before that.
//   - How a turn went is what the agent says at its end, and nothing else. If the agent ends
//     without that, the turn has failed.
//   - A context has one conversation with the agent, over restarts of the agent and of the sidecar
//     (Conversations), and only its caller joins it.
//   - Close ends every goroutine of the driver, and waits for them.
//
// The task of a call gets words, costs, questions and permissions only: its updates tell of the call
// itself, not of what the agent does for it.
//
// Reading order: stream.go (the driver of one process), turn.go (a message or call), run.go (the
// conversation and the prompt), events.go (what the agent says) with permit.go (what it asks for),
// report.go (updates of the task) with tools.go and tool.go, answer.go (words and parts),
// conversations.go (what is remembered).
package stream
