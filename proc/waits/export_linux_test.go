package waits

import "time"

// OfWithin is Of with limits for processes and threads.
func OfWithin(pid, processes, threads int) *Terminal {
	t := Of(pid)
	t.limits.processes, t.limits.threads = processes, threads
	return t
}

// MaxCost is how much processor time a look may take.
func MaxCost() time.Duration { return defaultLimits().cost }

// MaybeTerminal reports whether a look would ask a descriptor of a process what it is.
func MaybeTerminal(pid, fd int) bool {
	t := thread{pid: pid, tid: pid, budget: budget{limits: defaultLimits()}}
	return t.maybeTerminal(fd, t.link(fd))
}

// The reasons of looks that have reached a limit.
const (
	TooLong    = tooLong
	TooMany    = tooMany
	TooThreads = tooManyThread
)
