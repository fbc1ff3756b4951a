//go:build race

package term_test

import "time"

// limit is how long something may take: the race detector makes it slower.
func limit(d time.Duration) time.Duration { return 10 * d }
