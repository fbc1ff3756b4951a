package proctest

import (
	"os"
	"runtime"
	"testing"
)

// NoLeaks fails a test if one of lives, run several times, leaves an open file or a goroutine
// behind.
func NoLeaks(t *testing.T, lives map[string]func()) {
	t.Helper()
	for _, live := range lives {
		live() // what the first run makes may stay
	}
	for name, live := range lives {
		files, goroutines := openFiles(t), runtime.NumGoroutine()
		for range 5 {
			live()
		}
		Eventually(t, name+" to let its files go", func() bool { return openFiles(t) <= files })
		Eventually(t, name+" to end its goroutines", func() bool { return runtime.NumGoroutine() <= goroutines })
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}
