// Package replay plays a recording of an agent's terminal to a screen and a detector, by
// the recording's own clock: what the detector says of the agent, and when, is what it
// would have said at the time. Nothing waits: an hour is played in a moment.
//
// A recording does not say which Enter sent a message: an Enter that was typed while the
// agent was ready counts as one.
package replay
