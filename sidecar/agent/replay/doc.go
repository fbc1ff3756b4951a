// Package replay plays a recording of an agent's terminal to a screen and a detector, by the
// recording's own clock. The detector says what it would have said at that time, and an
// hour is played in a moment.
//
// A recording does not say which Enter has sent a message. An Enter counts that is neither
// pasted nor a line break, and that was typed while the agent was ready. Of a program
// without a profile nobody knows when it is ready; there every Enter counts that does not
// answer a question.
//
// Read replay.go for the player, keyboard.go for what was typed, turns.go for messages and
// their answers, printed.go and learnt.go for the answers of programs without a profile,
// and check.go for the tests of a profile.
package replay
