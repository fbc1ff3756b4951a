// Package term is the model of a terminal's screen: the bytes that a program
// writes go in; rows of text, a cursor, modes, a title, the rows that scrolled
// off, events and answers come out. It starts no process and opens no terminal.
// [Recorder] writes a session to a file, and [ReadCast] reads such a file.
//
// # Guarantees
//
//   - If tmux and xterm.js agree about a stream, [Screen] agrees with them; if they
//     do not, it does what xterm does.
//   - [Screen.Write] never fails, never panics and never waits for another party.
//     Numbers in sequences are clamped to the screen, and strings are cut at 64 KiB,
//     so no sequence costs more than one pass over the screen. If a call still takes
//     over 250 ms, it replaces the model by an empty one, which [Screen.Resets]
//     counts.
//   - The result does not depend on how the bytes are cut into chunks.
//   - Memory is bounded: by the size of the screen (16 bytes a cell, twice, and
//     once more for a program that draws in frames), [Options.History], 8,192
//     different combinations of a character with marks of 64 bytes each, 10 titles
//     of 1 KiB, and one string of 64 KiB while it is being received. The current one of
//     [Lines] has at most 1 Mi runes; the finished ones wait for their reader, without a
//     limit.
//   - Answers and events come in the order of the bytes that caused them, before
//     Write returns, without a lock held.
//   - The readers may be called from any goroutine. They block the writer for as
//     long as it takes to copy a screen. What they return is never changed afterwards.
//   - [Lines] are the text of a program that prints lines, from the same parser and with
//     the same lock: text, screen and events never contradict each other. If they are not
//     asked for, they cost nothing.
//   - A [Snapshot] shows one moment. While the program draws a frame (mode 2026), it
//     is the moment before the frame, for at most a second. There is no need to poll:
//     see [Screen.Changed].
//
// The only goroutine that a Screen ever has is that of a timer, which ends a frame that
// did not end within a second. It runs for a moment, and nothing needs to wait for it.
// The goroutine of a Recorder ends in [Recorder.Close].
//
// # Reading order
//
// options.go, snapshot.go and event.go are what goes in and out. screen.go has the
// lock, the turns and the readers; model.go the terminal behind it, cells.go its
// rows, parser.go how bytes become print.go (text), controls.go, csi.go, sgr.go,
// modes.go and osc.go (sequences), with notice.go and status7501.go for two of
// them. answers.go has the terminal's answers. history.go keeps what scrolled off,
// frame.go what is shown during a frame, clusters.go the combining marks, width.go
// the width of characters in columns. drawing.go counts what only programs do that
// draw. redraw.go is the way back, from a screen to
// bytes. lines.go, assembler.go and editors.go are the text as lines. recorder.go and cast.go are
// recordings.
package term
