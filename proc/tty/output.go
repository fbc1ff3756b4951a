package tty

import (
	"github.com/a2a-sidecar/sidecar/proc"
	"io"
	"sync"
	"syscall"
	"time"
)

// backlog is how many bytes a pseudo-terminal may hold at most: the kernel's limit per terminal
// is 640 KiB.
const backlog = 1 << 20

// Output passes everything that the process writes to its terminal to emit, one chunk after the
// other, until the process has ended and its output is drained, within the bounds of
// [proc.Child.Output]. Then it closes the terminal and returns the exit. A nil emit discards the
// output. A chunk is valid only during the call. An emit that blocks makes the process wait
// once its terminal is full.
func (t *Terminal) Output(emit func(chunk []byte)) proc.Exit {
	if emit == nil {
		emit = func([]byte) {}
	}
	var end sync.WaitGroup
	end.Go(t.wake)
	t.pump(emit)
	exit := t.child.Output(nil, nil)
	end.Wait()
	_ = t.master.Close() // nothing was written that could be lost
	return exit
}

// wake ends a read that waits for output when the process has ended; see [proc.Drain].
func (t *Terminal) wake() {
	<-t.child.Exited()
	_ = t.master.SetReadDeadline(time.Unix(1, 0)) // no error: it is open until Output ends
}

// pump reads the master in one goroutine and calls emit in this one. The kernel returns 4 KiB
// at a time. If emit takes longer than a read, its chunks become larger; neither waits for the
// other before the ring is full.
func (t *Terminal) pump(emit func([]byte)) {
	r := newRing()
	var reading sync.WaitGroup
	reading.Go(func() { t.fill(r) })
	for {
		chunk := r.filled()
		if chunk == nil {
			break
		}
		emit(chunk)
		r.taken(len(chunk))
		t.held.Add(-int64(len(chunk)))
	}
	reading.Wait()
}

// fill fills the ring until the output ends with EIO, because no process has the terminal open
// any more.
func (t *Terminal) fill(r *ring) {
	defer r.end()
	in := proc.Drain{File: t.master, Read: t.read, Most: func() int { return backlog }}
	for {
		n, err := in.Next(r.room())
		t.held.Add(int64(n))
		r.added(n)
		if err != nil {
			return
		}
	}
}

// read returns all that can be read without waiting. If there is nothing, it waits for the
// first bytes.
func (t *Terminal) read(buf []byte) (n int, err error) {
	var failed error
	err = t.raw.Read(func(fd uintptr) bool {
		for n < len(buf) {
			m, e := syscall.Read(int(fd), buf[n:])
			switch {
			case m > 0:
				n += m
			case e == syscall.EINTR:
			case e == syscall.EAGAIN:
				return n > 0
			case e == nil:
				failed = io.EOF
				return true
			default:
				failed = e
				return true
			}
		}
		return true
	})
	if err == nil {
		err = failed
	}
	return n, err
}
