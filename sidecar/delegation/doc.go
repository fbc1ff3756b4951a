// Package delegation is the limits that hold for one piece of work wherever it is done: how deep work is given on to other
// agents, which rules of those who gave it hold, and what it may cost.
//
// Guarantees:
//
//   - What came with a task can only take away: rules that deny, a smaller budget, less depth. Nothing in it allows
//     anything, so anybody may send it.
//   - A task that is no part of another one has one [Work], which the calls that are a part of it share. The limits are
//     those of the settings and those that came with the message, whichever is smaller.
//   - A budget that is used up denies the calls that follow, in words. At the end of its time the work is stopped.
//   - A child gets a share of what is left, which nobody else can use as long as it runs: children that run at once together have no more
//     than their parent had. What it reports of its use counts as its parent's, and the rest comes back. Of a child that cannot be asked the
//     share counts. One that is asked and reports nothing cannot be counted.
//
// The extension is [URI]. Read order.go (what goes down), budget.go, then work.go and register.go.
package delegation
