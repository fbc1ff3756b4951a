// Package spec says what an agent's folder has to tell, and holds the tools that
// these folders share. An [Agent] is its profile (how its terminal is read and
// typed to), its [Hooks] (how it is made to report what it is doing, and the exact
// text of its answer), its Tools (how it is offered the sidecar's tools by MCP), its [Dialect] (how its structured output is read),
// and how it is spoken to in messages: by ACP, or by a [Stream] of its own.
//
// Guarantees:
//
//   - The user's own files are never written to, and the user's own hooks run as
//     they would. If ours cannot be had in addition to them, they are not installed
//     and the error says why; the [Plan] is good without them. The same holds for the
//     user's own MCP servers and ours.
//   - A hook only observes. It decides no permission, adds nothing to a prompt,
//     and its failure is no failure of the agent.
//   - A secret is never an argument, because other users can read the arguments of a
//     process. The way to the channel is a private file in the session's folder.
//   - The data that an agent gives its hook is not trusted: it is bounded
//     (MaxPayload), and data that cannot be read says nothing.
//
// A hook reports single moments, and not all of them: most agents have no hook for a
// turn that was interrupted or a permission that was refused. A listener must have
// another source for the rest: the screen.
//
// Read agent.go first; launch.go (how an agent is started), door.go (how its hook
// finds the channel), settings.go (hooks in addition to the user's), report.go
// (what a hook says), tools.go (our MCP server in addition to the user's), output.go
// (structured output), structured.go (messages), diff.go (changes of files)
// and image.go are the tools.
package spec
