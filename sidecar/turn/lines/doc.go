// Package lines is the driver for a program that reads and writes lines on pipes:
// a tool server of JSON lines, a filter that lives. A message is its text and a
// newline, a call one line {"toolCall":{"id","name","arguments"}}; the program
// answers in lines.
//
// Guarantees:
//
//   - The answer is whole lines, as they come; a last line without its newline counts
//     when the program ends. A line of more than 8 MiB fails the turn, and is skipped
//     to its end.
//   - A call ends with the line {"toolResult":{"id",…}} that has its id; silence does
//     not end it. An answer in words (to a message, or to a call that was put in words)
//     ends when no line has come for Options.Quiet after the first one, unless the
//     agent says over the channel what it does or waits for an answer.
//   - A line that is begun on the program's input is finished: a turn that ends while
//     its line is being written never leaves half of it to the next turn.
//   - A program that has closed its output can answer nothing: its turns fail, soon after.
//   - Output is read while the input is written, and between turns, where it is
//     dropped: a program that writes never waits for a turn.
//   - Interrupt signals the program, as Ctrl-C in a terminal does.
//
// Reading order: lines.go, exchange.go (a message or call and its answer),
// framing.go (bytes to lines).
package lines
