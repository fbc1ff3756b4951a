// Package gate decides whether new work may come in. Every message, tool call and
// keystroke passes it before anything is created for it. The checks, in order:
//
//  1. Enter: the sidecar has started, is not shutting down, and can store tasks.
//     Work that comes while the sidecar starts is held, not refused.
//  2. Outsider: an answer, or a key typed, does not come from the agent's own
//     processes. Only where somebody decides for the agent.
//  3. Ours: a tool call of a process of ours is the agent's, whatever token it shows.
//  4. Create: the context is the caller's, and neither the caller nor all callers
//     together have too many unfinished tasks.
//
// What comes before is the server's: who calls (sidecar/auth), and how much one
// caller may send (a2a). What comes after is the turn's queue and the call's
// scheduler, which know how much may run at a time.
//
// Guarantees:
//
//   - What Create allows is created before another caller is counted: the limits
//     hold however many requests come at once.
//   - A refusal is an a2a error that says whether to come again, and when.
//   - Nothing waits but Enter, which ends with its context.
//
// All methods may be called from many goroutines.
package gate
