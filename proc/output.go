package proc

import (
	"errors"
	"os"
	"sync"
	"time"
)

const (
	// drainWait bounds the wait for output after the process has ended, while another process
	// holds its pipe or terminal open.
	drainWait = 250 * time.Millisecond
	// pipeSize is how many bytes a pipe holds if the kernel does not tell.
	pipeSize = 64 << 10
	// readSmall is the size of a stream's first buffer; readLarge is the size of its next
	// buffer, once the stream has filled the first.
	readSmall, readLarge = 4 << 10, 64 << 10
)

// Output passes everything that the process writes to stdout and stderr to the two functions,
// one chunk after the other per stream, until the process has ended and its output is drained.
// Then it closes the files (Stdin too) and returns the exit. With Command.Terminal no output
// comes here, and with Command.Merged all of it is stdout's. A nil function discards the output. A chunk is valid only during the call. A call
// that blocks makes the process wait once its pipe is full.
//
// Drained means that the stream has ended, or that all that was in the pipe when the process
// ended has been read, or that 250 ms were spent waiting. So a descendant that keeps the stream
// open, or floods it, delays the return by at most that time.
func (c *Child) Output(stdout, stderr func(chunk []byte)) Exit {
	if !c.terminal {
		var other sync.WaitGroup
		if c.io.stderr != nil {
			other.Go(func() { c.pump(c.io.stderr, stderr) })
		}
		c.pump(c.io.stdout, stdout)
		close(c.silent)
		other.Wait()
	}
	<-c.Exited()
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

// Drain reads what a process writes to a pipe or terminal. The caller signals the end of the
// process by a read deadline of File that has passed; from then on Drain reads within the
// bounds of [Child.Output]. It is used by one goroutine.
type Drain struct {
	File *os.File
	Read func([]byte) (int, error)
	// Most returns how many bytes may come after the process has ended; it is called at that
	// time.
	Most func() int

	draining bool
	wait     time.Duration // how much longer to wait
	left     int           // how many more bytes to read
}

// Next reads once. Any error means the end of the stream.
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
