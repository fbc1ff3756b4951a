package filesearch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
)

const (
	// maxHeld is how many bytes of results wait for those of files before theirs. Workers wait then, but for the one whose
	// turn it is.
	maxHeld = 16 << 20
	// maxOwn is how many bytes the worker whose turn it is may be ahead of the writer.
	maxOwn = 256 << 10
	// maxAhead is how many batches of files are searched before an earlier one is finished.
	maxAhead = 1024
)

// The causes that end a search before it has seen everything.
var (
	errStopped = errors.New("the search has ended")
	errEnough  = errors.New("the search has found as much as it was asked for")
)

// grepOrder puts the results of batches of files that are searched at once into the order of the batches, and gives them to one
// writer as soon as it is their turn. Its methods may be called from many goroutines, but for write.
type grepOrder struct {
	mu      sync.Mutex
	changed sync.Cond
	turn    int
	parts   map[int]*grepPart
	held    int  // bytes in parts
	stopped bool // nobody waits any more
	closed  bool // nothing more will be put
}

type grepPart struct {
	data []byte
	done bool
}

func newOrder() *grepOrder {
	o := &grepOrder{parts: map[int]*grepPart{}}
	o.changed.L = &o.mu
	return o
}

// ahead waits until a batch may be searched, and reports whether it still should be.
func (o *grepOrder) ahead(batch int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for batch >= o.turn+maxAhead && !o.stopped {
		o.changed.Wait()
	}
	return !o.stopped
}

// put adds whole lines to the result of a batch; done says that they are the last ones. It returns errStopped if the search
// has ended.
func (o *grepOrder) put(batch int, data []byte, done bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.parts[batch]
	if p == nil {
		p = &grepPart{}
		o.parts[batch] = p
	}
	p.data = append(p.data, data...)
	p.done = done
	o.held += len(data)
	o.changed.Broadcast()
	for !o.stopped && len(p.data) > 0 && (batch != o.turn && o.held > maxHeld || batch == o.turn && !done && len(p.data) > maxOwn) {
		o.changed.Wait()
	}
	if o.stopped {
		return errStopped
	}
	return nil
}

// stop ends all waiting; close says that nothing more will be put.
func (o *grepOrder) stop()  { o.set(&o.stopped) }
func (o *grepOrder) close() { o.set(&o.closed) }

func (o *grepOrder) set(flag *bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	*flag = true
	o.changed.Broadcast()
}

// next waits for what is to be written next. ok is false at the end. What is left of a search that was stopped comes in its
// order too, with gaps.
func (o *grepOrder) next() (data []byte, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		p := o.parts[o.turn]
		switch {
		case p != nil && len(p.data) > 0:
			data, p.data = p.data, nil
			o.held -= len(data)
			o.changed.Broadcast()
			return data, true
		case p != nil && (p.done || o.closed):
			delete(o.parts, o.turn)
			o.turn++
			o.changed.Broadcast()
		case o.closed && len(o.parts) == 0:
			return nil, false
		case o.closed:
			o.turn = slices.Min(slices.Collect(maps.Keys(o.parts)))
		default:
			o.changed.Wait()
		}
	}
}

// write writes everything to out, at most so many entries, and cancels the search if there are more, or if nobody takes what is
// written.
func (o *grepOrder) write(out io.Writer, limit int, cancel context.CancelCauseFunc) error {
	begun, entries := false, Entries{Left: limit}
	for {
		data, ok := o.next()
		if !ok {
			return nil
		}
		if !begun {
			data = bytes.TrimPrefix(data, []byte(groupEnd))
		}
		begun = true
		kept := entries.Cut(data)
		_, err := out.Write(kept)
		if err == nil && len(kept) < len(data) {
			err = errEnough
		}
		if err != nil {
			cancel(err)
			o.stop()
			return err
		}
	}
}
