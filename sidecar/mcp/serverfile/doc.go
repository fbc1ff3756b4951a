// Package serverfile reads the file that names MCP servers, in the form that MCP clients share
// ({"mcpServers":{…}}), and follows it as it changes.
//
// Guarantees:
//
//   - All faults of a file are told at once, each with its line, its column, its JSON pointer and
//     the fix. An unknown key is a fault: a misspelled limit would set no limit.
//   - A server gets nothing that is not written: without requires it has no network and no files
//     but those that every program of the system needs.
//   - Each server has a slug, which begins the names of its tools. No two servers of a file have
//     the same one, and none has one that is reserved.
//   - Values of variables are read from the environment that the caller gives, once for each time
//     that the file is read. They occur in no fault.
//   - There is always a list: a start with a bad file fails, and after that a file that is bad,
//     or cannot be read, or is gone, leaves the list before it in force. A bad file is told once,
//     after it was seen twice: an editor may be in the middle of writing it.
//   - One goroutine reads the file, that of Run; everything else may be called from many.
//
// Reading order: server.go (what a server is), parse.go and entry.go (the file), expand.go (the
// variables in it), source.go (the list in force), run.go (how it changes).
package serverfile
