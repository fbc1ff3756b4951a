// Package mcp is the driver for an agent that is itself an MCP server, on its standard input and
// output: calls of tools are handed over as such, and messages are refused.
//
// Guarantees:
//
//   - One client speaks to the agent, whichever of its processes runs: what it has listed outlives
//     a process, and a process that replaces another one is asked again.
//   - The agent is not started here, nor stopped because nobody calls it. A connection that can be
//     of no use any more ends the process.
//   - Close ends the client, and waits for it.
//
// Reading order: agent.go (the client over all processes), driver.go (one process), call.go (the
// calls of tools that are declared elsewhere), tools.go (the agent's list as a manifest).
package mcp
