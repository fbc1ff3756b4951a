// Package channel is the driver for an agent that offered over the channel to
// take messages or calls: they are handed over with all their parts, and answered
// by one reply. A connection that is lost in the middle of a turn fails it.
package channel
