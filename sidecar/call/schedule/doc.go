// Package schedule decides which tool calls may run now. It is one state machine under
// one lock: it starts nothing, waits for nothing while it holds the lock, and knows
// neither tools nor tasks.
//
// The calls of a sidecar share one workspace. Reads run together, at most
// Limits.Reads of them; a write runs alone. A tool may limit how many of its own calls
// run at once. A call that only waits for the agent's answer ([Pass]) holds nothing,
// and one that works elsewhere ([Apart]) nothing but its place among those of its tool.
//
// A call may be nested in another: it carries its parent and runs in the parent's
// place. What a nested call cannot share with its ancestors, they give up for the time
// and take back before the nested call answers:
//
//   - Below a write, reads and writes run within that write: reads together, writes
//     one at a time.
//   - Below a read, a read runs beside it. A nested write makes every reading ancestor
//     give up its read until the write has ended.
//   - A nested call of a tool with a limit makes its ancestors give up theirs.
//   - While somebody else works for a call (the agent, or whoever is asked), neither
//     the call nor its ancestors hold anything.
//
// Guarantees:
//
//   - Two calls that are not nested in each other never hold the workspace together,
//     unless both read; and no read is held above a write that runs.
//   - No deadlock: what a place waits for is held only by calls that can go on without
//     it.
//   - Waiting calls run in the order in which they came, round robin between callers.
//     A call that cannot run holds up the later ones of its kind of place (those below
//     the same holder), so that neither reads nor writes starve.
//   - At most Limits.Queue calls wait that are not nested, half of them for one known
//     caller; as many nested ones; and Limits.Reads more than that for an approval.
//   - At most Limits.Reads reads run at once. The first nested call of each holder
//     comes on top: it runs in the place of the call that waits for it.
//
// Reading order: schedule.go (what a caller of this package does), lend.go (what is
// given up and taken back), dispatch.go (who runs next). The tests play every small
// world, and many large ones at random.
package schedule
