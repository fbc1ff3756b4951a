package waits

import (
	"time"

	"golang.org/x/sys/unix"
)

// limits are how much one look may inspect.
type limits struct {
	processes   int           // of those that descend from the terminal's first process
	threads     int           // of all processes of the foreground
	descriptors int           // of one wait
	cost        time.Duration // of processor time
}

// defaultLimits are the limits that doc.go promises.
func defaultLimits() limits {
	return limits{processes: 512, threads: 4096, descriptors: 1024, cost: 30 * time.Millisecond}
}

// The reasons why a look that has reached a limit is Hidden.
const (
	tooLong       = "the foreground has too many processes to inspect in time"
	tooMany       = "too many processes descend from the agent"
	tooManyThread = "the foreground has too many threads"
)

// budget is what one look may still cost.
type budget struct {
	limits
	end time.Duration // when the processor time is used up, on the clock of this thread
}

// newBudget returns the budget of a look that begins now. The goroutine must be locked to its
// thread.
func newBudget(l limits) budget { return budget{limits: l, end: threadTime() + l.cost} }

// spent reports whether the processor time is used up.
func (b budget) spent() bool { return threadTime() >= b.end }

// threadTime returns how much processor time this thread has taken.
func threadTime() time.Duration {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now) != nil {
		return 0
	}
	return time.Duration(now.Nano())
}
