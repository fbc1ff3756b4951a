// Package subagent gives work to other A2A agents, and follows what becomes of it.
//
// Guarantees:
//
//   - An agent is reached at the address that the file of agents names, and at no other: redirects are refused. If its card is pinned, it
//     is fetched for each piece of work, and nothing is sent to an agent with another card.
//   - What the agent is sent has the limits of the work that it is a part of (package delegation). An agent that does not know them is told of
//     in the log and to the model, and gets nothing if the desk is strict.
//   - A child ends when what it is a part of is stopped or fails, at its time limit, and when the desk closes: then its task is canceled at the
//     agent, which is waited for within a limit. If the work of its parent completes, a child in the background goes on: its conversation may
//     ask for it.
//   - What an agent sends is bounded in bytes, files and events, and its words are clean. It can break its own child only.
//   - What a child asks is asked by the [Asker] of its parent, never by an agent. If nobody answers, it is declined.
//   - One goroutine owns a child. Close waits for all of them.
//
// Read agents.go and parse.go (the file), conn.go (how an agent is reached), then desk.go, child.go, run.go (a child's life), remote.go (what is
// asked of its agent), take.go and said.go (what it says) and ask.go.
package subagent
