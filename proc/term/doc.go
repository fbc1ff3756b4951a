// Package term is the model of a terminal's screen: the bytes that a program
// writes go in, rows of text, a cursor, modes, a title, the rows that scrolled
// off, events and answers come out. It starts no process and opens no terminal;
// [Recorder] writes a file of what passed, [ReadCast] reads one.
//
// # Guarantees
//
//   - Where tmux and xterm.js agree about a stream, so does [Screen].
//   - [Screen.Write] never fails, never panics and never waits for a reader.
//     Numbers in sequences are clamped to the screen, so that a sequence costs at
//     most one pass over it; strings are cut at 64 KiB. A call that still takes
//     over 250 ms gives the model up for an empty one and counts it.
//   - The result does not depend on how the bytes are cut into chunks.
//   - Memory is bounded by the size of the screen and [Options.History].
//   - No callback is called with a lock held; answers and events come in the
//     order of the bytes that caused them, before Write returns.
//   - [Screen.Snapshot] and the other readers may be called from any goroutine;
//     what they return is never changed afterwards.
package term
