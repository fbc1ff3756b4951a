// Package hook makes known agents say out of band what they are doing: when a
// turn begins and ends, when it waits for a permission, and the exact text of
// the answer. A screen can only be read; a hook knows.
//
// Prepare says how to start an agent so that it reports. Each agent has its own
// way: a settings file of ours beside the user's (claude, gemini), a program
// that it calls at the end of a turn (codex), a stream of events on a port of
// its own (opencode). Where the agent calls a program, that is `sidecar emit
// hook AGENT`: Read turns what it was given into a report, and it passes that on
// as session/report of the channel. Where it is a stream, Plan.Source reads it.
//
// Guarantees:
//
//   - The user's own files are never written to, and his own hooks run as they
//     would. Where ours cannot be had beside them, ours are not installed, and
//     the error says why; the Plan is good without them.
//   - A hook only observes. It decides no permission, adds nothing to a prompt,
//     and its failure is no failure of the agent.
//   - A secret is never an argument: those of other users' processes can be read.
//     The way to the channel is a private file in the session's folder.
//   - What a hook is given is not trusted: it is bounded (MaxPayload), and what
//     cannot be read says nothing.
//
// A hook tells moments, and not all of them. claude and codex have none for a
// turn that was interrupted, claude and gemini none for a permission that was
// refused, and none between one that was given and the end of the tool. Codex
// tells only the ends of turns. Who listens must have another source for the
// rest: the screen.
//
// Reading order: plan.go (how an agent is started), report.go (what it says),
// door.go (how the hook finds the channel), settings.go (hooks beside the
// user's), then one file per agent; opencode has three.
package hook
