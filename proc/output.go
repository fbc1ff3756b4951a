package proc

import (
	"errors"
	"os"
	"sync"
	"time"
)

const (
	// drainWait bounds the waiting for output after the process has ended,
	// while somebody else holds its pipe or terminal open.
	drainWait = 250 * time.Millisecond
	// pipeSize is what a pipe holds where the kernel does not say.
	pipeSize = 64 << 10
	// readSmall is the first buffer of a stream, readLarge the one of a stream
	// that filled it.
	readSmall, readLarge = 4 << 10, 64 << 10
)

// Output hands everything that the process writes to stdout and stderr, one
// chunk after the other per stream, until it has ended and its output is
// drained; then it closes the files (Stdin too) and returns the exit. With
// Command.Terminal nothing comes here. nil discards. The chunk is valid during the call.
// A call that blocks makes the process wait when its pipe is full.
//
// Drained means: to the end, or until what was in the pipe at the process's end
// has come, or until 250 ms were spent waiting. So a descendant that keeps the
// stream open, or floods it, delays the return by that much at most.
func (c *Child) Output(stdout, stderr func(chunk []byte)) Exit {
	if !c.terminal {
		var other sync.WaitGroup
		other.Go(func() { c.pump(c.io.stderr, stderr) })
		c.pump(c.io.stdout, stdout)
		other.Wait()
	}
	<-c.exited
	c.closeFiles()
	return c.exit
}

// pump reads a pipe to its end.
func (c *Child) pump(f *os.File, emit func([]byte)) {
	if emit == nil {
		emit = func([]byte) {}
	}
	r := Drain{File: f, Read: f.Read, Most: func() int { return capacity(f) }}
	small := c.host.buffers.Get().(*[readSmall]byte)
	defer c.host.buffers.Put(small)
	buf := small[:]
	for {
		n, err := r.Next(buf)
		if n > 0 {
			emit(buf[:n])
		}
		if err != nil {
			return
		}
		if n == len(buf) && n < readLarge {
			buf = make([]byte, readLarge)
		}
	}
}

// Drain reads what a process writes to a pipe or terminal. The process's end is
// told to it by a read deadline of File that has passed; from then on it reads
// within the bounds of [Child.Output]. It is used by one goroutine.
type Drain struct {
	File *os.File
	Read func([]byte) (int, error)
	// Most is how many bytes may come after the end; it is asked then.
	Most func() int

	draining bool
	wait     time.Duration // left to wait
	left     int           // bytes left to read
}

// Next reads once. Every error is the end of the stream.
func (r *Drain) Next(buf []byte) (int, error) {
	if !r.draining {
		n, err := r.Read(buf)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		r.draining, r.wait, r.left = true, drainWait, r.Most()
	}
	if r.wait <= 0 || r.left <= 0 {
		return 0, os.ErrDeadlineExceeded
	}
	begin := time.Now()
	if err := r.File.SetReadDeadline(begin.Add(r.wait)); err != nil {
		return 0, err
	}
	n, err := r.Read(buf[:min(len(buf), r.left)])
	r.wait -= time.Since(begin)
	r.left -= n
	return n, err
}
