package config

import (
	"cmp"
	"time"
)

// The ratios between limits that are settings and limits that are derived, so that
// they fit together.
const (
	tasksPerRequest = 2         // unfinished tasks for each request that may be under way
	bytesPerKept    = 64 << 10  // bytes of KeepBytes for each finished task in memory
	bytesPerRetain  = 100 << 10 // bytes of RetainBytes for each finished task on disk
)

// runTime is how long a call without a limit of its own may run in the eyes of an agent that
// was given our tools.
const runTime = time.Hour

// ToolTime returns how long an agent that was given our tools has to wait for a call: until
// its approval was answered, and then as long as it may run.
func (c *Config) ToolTime() time.Duration { return c.AskTimeout + cmp.Or(c.CallTimeout, runTime) }

// MaxStreams returns how many streams may be open in all, 0 for no limit.
func (c *Config) MaxStreams() int { return c.MaxRequests }

// CallerStreams returns how many streams a caller may have open, 0 for no limit.
func (c *Config) CallerStreams() int { return c.CallerRequests }

// MaxTasks returns how many tasks may be unfinished in all, 0 for no limit.
func (c *Config) MaxTasks() int { return tasksPerRequest * c.MaxRequests }

// CallerTasks returns how many unfinished tasks a known caller may have, 0 for no
// limit.
func (c *Config) CallerTasks() int { return tasksPerRequest * c.CallerRequests }

// OpenApprovals returns how many calls may wait for an approval in all.
func (c *Config) OpenApprovals() int { return c.MaxConcurrency + c.Queue }

// CallerApprovals returns how many calls of one caller may wait for an approval, those without a
// name together: half of all, so that others have the rest. 0 for no limit, where callers are not
// known.
func (c *Config) CallerApprovals() int {
	if !c.Authenticates() {
		return 0
	}
	return max(1, c.OpenApprovals()/2)
}

// KeepTasks returns how many finished tasks are kept in memory.
func (c *Config) KeepTasks() int { return int(max(1, c.KeepBytes/bytesPerKept)) }

// RetainTasks returns how many finished tasks are kept on disk.
func (c *Config) RetainTasks() int { return int(max(1, c.RetainBytes/bytesPerRetain)) }
