package sandbox

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// onThrowawayThread runs f on an operating system thread that ends after it, and returns when f
// has returned. So f may restrict its thread for ever. It never is the main thread, which does
// not end: the kernel takes its restrictions for those of the whole process.
func onThrowawayThread(f func()) {
	done := make(chan struct{})
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if unix.Gettid() != os.Getpid() {
			defer close(done)
			f()
			return
		}
		// While this goroutine is locked to the main thread, no other one gets it.
		other := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(other)
			defer close(done)
			f()
		}()
		<-other
		runtime.UnlockOSThread()
	}()
	<-done
}
