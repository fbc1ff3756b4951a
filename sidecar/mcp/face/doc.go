// Package face is an MCP server for the sidecar's own tools. It speaks every revision from
// 2024-11-05 to 2026-07-28 and knows nothing of where the tools are: a Backend lists, finds and
// calls them.
//
// Guarantees:
//
//   - The list is the Backend's, in its order, in pages of bounded size. A page is found again
//     by the name of its last tool, so a list that changes between two pages loses nothing else.
//   - A schema is sent as it is declared. Arguments are checked by the Backend alone.
//   - A call that waits tells its client so every ProgressEvery, if the client asked for progress:
//     some give up after a minute of silence.
//   - A call ends with its client: a cancellation, a closed request of 2026-07-28, the end of
//     the session and Close cancel it.
//   - A tool that fails is a result with isError. An unknown tool is an error of the protocol.
//   - A question that a call asks is put to the client's person if the client declares
//     elicitation with forms: as an elicitation, or from 2026-07-28 on as a result that requires
//     input. The Backend says which questions may be asked this way.
//   - A panic below a request ends that request alone.
//
// Reading order: backend.go (what it serves), face.go (the server), list.go, search.go (the tool
// that finds others), call.go (a call and its progress), result.go (an envelope as MCP has it).
package face
