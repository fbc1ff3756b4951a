package sidecar

import "testing"

func TestIdleMemory(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		name      string
		now       memoryUse
		allocated uint64 // since before
		want      uint64
	}{
		{"after a peak", memoryUse{free: 200 * mb, objects: 90 * mb, live: 80 * mb}, mb, 210 * mb},
		{"garbage that was not collected", memoryUse{free: mb, objects: 160 * mb, live: 80 * mb}, mb, 81 * mb},
		{"all of it is in use", memoryUse{free: 5 * mb, objects: 80 * mb, live: 80 * mb}, 0, 0},
		{"too little to be worth it", memoryUse{free: 20 * mb, objects: 10 * mb, live: 5 * mb}, 0, 0},
		{"in the middle of work", memoryUse{free: 200 * mb, objects: 80 * mb, live: 80 * mb}, 300 * mb, 0},
		{"a fresh collection", memoryUse{free: 40 * mb, objects: 10 * mb, live: 20 * mb}, 0, 40 * mb},
	} {
		before := memoryUse{allocated: 1000 * mb}
		c.now.allocated = before.allocated + c.allocated
		if got := c.now.idle(before); got != c.want {
			t.Errorf("%s: %d MiB, want %d", c.name, got/mb, c.want/mb)
		}
	}
}
