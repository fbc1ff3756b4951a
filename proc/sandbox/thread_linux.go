package sandbox

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// onThrowawayThread runs f on an operating system thread that ends after it, and returns when f
// has returned. So f may restrict its thread for ever.
func onThrowawayThread(f func()) {
	done := make(chan struct{})
	startThread(func() {
		defer close(done)
		f()
	})
	<-done
}

// startThread runs f on an operating system thread that ends after it. It never is the main
// thread, which does not end: the kernel takes its restrictions for those of the whole process.
func startThread(f func()) {
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if unix.Gettid() != os.Getpid() {
			f()
			return
		}
		// While this goroutine is locked to the main thread, no other one gets it.
		other := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(other)
			f()
		}()
		<-other
		runtime.UnlockOSThread()
	}()
}

// waitingThread is a thread that is prepared for the one function that it will run. It is run or
// dismissed once.
type waitingThread struct{ work chan<- func() }

// newWaitingThread returns a thread on which prepare has run without an error.
func newWaitingThread(prepare func() error) (*waitingThread, error) {
	work, prepared := make(chan func()), make(chan error, 1)
	startThread(func() {
		err := prepare()
		prepared <- err
		if err != nil {
			return
		}
		if f := <-work; f != nil {
			f()
		}
	})
	if err := <-prepared; err != nil {
		return nil, err
	}
	return &waitingThread{work}, nil
}

// run returns when f, which runs on the thread, has returned.
func (t *waitingThread) run(f func()) {
	done := make(chan struct{})
	t.work <- func() {
		defer close(done)
		f()
	}
	<-done
}

// dismiss ends the thread.
func (t *waitingThread) dismiss() { close(t.work) }
