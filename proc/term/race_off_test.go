//go:build !race

package term_test

import "time"

// limit is how long something may take.
func limit(d time.Duration) time.Duration { return d }
