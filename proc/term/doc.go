// Package term is the model of a terminal's screen: the bytes that a program
// writes go in; rows of text, a cursor, modes, a title, the rows that scrolled
// off, events and answers come out. It starts no process and opens no terminal.
// [Recorder] writes what passed into a file, [ReadCast] reads such a file.
//
// # Guarantees
//
//   - Where tmux and xterm.js agree about a stream, so does [Screen]; where they
//     do not, it does what xterm does.
//   - [Screen.Write] never fails, never panics and waits for nobody. Numbers in
//     sequences are clamped to the screen and strings cut at 64 KiB, so that no
//     sequence costs more than one pass over the screen. A call that still takes
//     over 250 ms gives the model up for an empty one, which [Screen.Resets]
//     counts.
//   - The result does not depend on how the bytes are cut into chunks.
//   - Memory is bounded: by the size of the screen (16 bytes a cell, twice, and
//     once more for a program that draws in frames), [Options.History], 8,192
//     different combinations of a character with marks, 64 bytes each, 10 titles
//     of 1 KiB, and one string of 64 KiB while it comes.
//   - Answers and events come in the order of the bytes that caused them, before
//     Write returns, with no lock held.
//   - The readers may be called from any goroutine, and hold the writer up for
//     the time of copying a screen. What they return is never changed afterwards.
//   - A [Snapshot] is of one moment; while the program draws a frame (mode 2026)
//     of the moment before it, for at most a second. Nobody has to poll:
//     [Screen.Changed].
//
// The one goroutine that a Screen ever has is the timer's that ends a frame whose
// end did not come within a second; it runs for an instant and needs no waiting
// for. That of a Recorder ends in [Recorder.Close].
//
// # Reading order
//
// options.go, snapshot.go and event.go are what goes in and out. screen.go is the
// lock, the turns and the readers; model.go the terminal behind it, cells.go its
// rows, parser.go how bytes become print.go (text), controls.go, csi.go, sgr.go,
// modes.go and osc.go (sequences), with notice.go and status7501.go for two of
// them. answers.go is what the terminal says itself. history.go keeps what
// scrolled off, frame.go what is shown meanwhile, clusters.go the combining
// marks, width.go their columns. redraw.go is the way back, from a screen to
// bytes. recorder.go and cast.go are recordings.
package term
