// Package line is the driver for a program in a terminal that reads and prints
// lines: a shell, a REPL, a script. A message is typed line by line, and the answer
// is what the program then prints, until its prompt, its own sign, or silence.
//
// Guarantees:
//
//   - The answer holds whole lines as the program printed them, of any length,
//     without the echo of what was typed and without the prompt.
//   - A line that the terminal would cut is refused before its first byte is typed.
//   - A message that the program takes for the beginning of more is completed or
//     taken back: the next message never becomes a part of it.
//   - The terminal is read while a line is typed: a program whose output nobody
//     reads would not read the rest.
//
// Reading order: line.go, exchange.go and block.go (a message and its answer),
// prompt.go and signal.go (how the end of an answer is known), question.go, people.go and
// fullscreen.go; buffer.go (lines that wait for a turn). The lines themselves are made
// by the model of the screen, in proc/term.
package line
