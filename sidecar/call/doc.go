// Package call is the path of a tool call, from the door it came in by to the
// envelope it ends with. Every door (an A2A message, POST /a2a/tools/{name},
// the channel, MCP) makes a Request and gets an Invocation; every call is a task.
//
// Guarantees:
//   - A call always ends, with exactly one Outcome, one envelope and one log
//     line. A bad call is a result, never an error of the protocol, and a panic
//     in a tool is a failed call.
//   - A call keeps the manifest snapshot with which it was admitted: a reload
//     during the call changes nothing for it.
//   - The arguments are read once: what is judged is what is executed. Defaults of the
//     schema go to what is executed alone, and what they make the call use is judged. A
//     call that uses what its tool does not require is refused before any rule is asked
//     (package capability).
//   - One goroutine owns each call and its task. Everything that a bridge starts
//     has ended before the call ends. The one exception is a Go handler that
//     ignores its context: it keeps its place in the schedule, and Close waits
//     for it.
//   - Reads run together, and writes alone, in one workspace, whatever directory a tool
//     runs in; the writes of an MCP server that may write no files there run alone in their
//     server. Callers take turns, neither kind starves the other, and the queue is
//     bounded: if it is full, a call is told busy at once (package schedule).
//   - A call that is made while another one runs, by its program or by the agent that
//     works for it, is nested in that call, at most Depth deep. It runs in the place of
//     the call that waits for it and never waits for it. While the agent works for a
//     call, or somebody is asked, the call holds nothing. It is stopped with the call
//     that it is nested in. A call of the agent's asks for an approval in the task that
//     the agent works on. A Go handler's own calls are not known to be nested: a handler
//     that calls a tool of the same sidecar and waits for it must not be a write.
//   - A tool that the agent has by itself is judged as a call is (Judge), in the task of its
//     turn: it is no call, has no task and no place in the schedule. What we read, write and run for
//     the agent is what was judged, below the directories of the task; programs end before the
//     turn's end is told.
//   - A call that somebody must allow waits in the registry of approvals. After a yes it
//     is decided again, with its paths resolved anew, under the policy and the definition
//     of that moment: it runs only if it is still what was allowed.
//   - Memory per call is bounded by its output limit, however much the tool says. A door
//     that has a limit of its own gets an envelope that fits (fit.go).
//   - A tool's time limit starts when its execution begins, and includes the
//     questions and the nested calls that it waits for. Waiting in the queue or for an
//     approval does not count.
//
// A command line that a tool of the sidecar's own runs (core_shell.go) is run as the program of an exec tool is. One that
// goes on after its call (core_background.go) belongs to the conversation: SessionEnded, ContextGone and Close stop it, and
// Close waits for it.
//
// A program that executes a call is a job (see package job): what it emits over the
// channel goes into the call's task. An artifact whose id is one of the call's own is
// refused. The first done is the call's result; it beats stdout and the exit code:
// completed makes its one data part, or its parts or text, the data of the envelope
// (with neither, stdout stays the result), failed and rejected make its text the
// error, and canceled ends the call as canceled. A done that asks for a bare message or
// for another state is refused: a call answers with its envelope.
//
// A declared outputSchema is a promise to the caller: output that breaks it is
// a failed call with the pointers in its text and the output as its data. Only
// whole outputs are checked: a truncated or partial one is marked as such.
//
// An error envelope carries the tool's output as data too, if there was any: what
// a failing command printed is not lost.
//
// Where a tool connects to is held to the hosts that it requires: an http tool's request,
// and each redirect, is judged when it connects; the program of an exec tool in a sandbox
// has a proxy of its own (network.go, package egress), which ends with the call. A host that
// the rules deny is not reached either (host_rules.go). The audit has these connections.
//
// A call is a part of a work (package delegation; work.go): rules that came with it make decisions stricter, and what is
// allowed counts against its budget.
//
// Read call.go first: it lists the stages. Then one file per stage, admit,
// validate (input.go: what the arguments become), permit (approve.go: who is asked),
// schedule, execute, settle;
// outcome.go and envelope.go for what comes out; exec.go, http.go, mcp.go, agent.go and
// handler.go for the bridges (mcp_ask.go: what an MCP server asks meanwhile), emitted.go for what a program says meanwhile.
// core.go runs the sidecar's own tools, core_files.go and core_may.go with the files that they may use.
// Last native.go for the agent's own tools: native_action.go says what is judged of them, native_files.go
// handles its files, native_run.go and native_program.go its programs.
package call
