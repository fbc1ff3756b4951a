package filesearch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	// maxWorkers is how many files are searched at once at most; there are no more than processors.
	maxWorkers = 8
	// batchFiles is how many files a worker is given at once.
	batchFiles = 16
)

// grepBatch is some files, one after the other in the order of the walk.
type grepBatch struct {
	number int
	files  []string // relative to the root, "" for the root itself
}

// grepSearch is one run of a Grep. Its workers share it.
type grepSearch struct {
	*Grep
	Scope
	ctx     context.Context
	order   *grepOrder
	batches chan grepBatch
	walking atomic.Bool
	err     error // of the walk: the root cannot be read
	found   bool

	mu    sync.Mutex
	tally grepTally
}

// run searches. ended is why the search did not see all of it; err says that it could not begin.
func (s *grepSearch) run(ctx context.Context, files FS, isDir bool, to io.Writer) (ended, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.ctx, s.order, s.batches = ctx, newOrder(), make(chan grepBatch, 2*maxWorkers)
	defer context.AfterFunc(ctx, s.order.stop)()
	out := &noticed{out: to}
	var writer sync.WaitGroup
	writer.Go(func() { _ = s.order.write(out, s.limit(), cancel) }) // its error is the cause of ctx's end
	defer writer.Wait()                                             // also if a worker panics
	defer s.order.close()
	if isDir {
		files.Workers(min(runtime.GOMAXPROCS(0), maxWorkers)+1, s.work)
	} else {
		s.batches <- grepBatch{files: []string{""}}
		close(s.batches)
		s.searchAll(files)
	}
	s.order.close()
	writer.Wait()
	s.found = out.any
	return context.Cause(ctx), s.err
}

// noticed is the result's text, of which it is noticed whether there is any.
type noticed struct {
	out io.Writer
	any bool
}

// Write implements io.Writer.
func (n *noticed) Write(p []byte) (int, error) {
	n.any = n.any || len(p) > 0
	return n.out.Write(p)
}

// work is one worker: the first one walks, and searches afterwards as the others do.
func (s *grepSearch) work(files FS) {
	if s.walking.CompareAndSwap(false, true) {
		s.walk(files)
		close(s.batches)
	}
	s.searchAll(files)
}

// walk hands the files out in batches.
func (s *grepSearch) walk(files FS) {
	b := grepBatch{}
	send := func() bool {
		if !s.order.ahead(b.number) {
			return false
		}
		select {
		case s.batches <- b:
			b = grepBatch{number: b.number + 1}
			return true
		case <-s.ctx.Done():
			return false
		}
	}
	w := &walk{
		fs: files, root: s.Root, hidden: s.Hidden, ignored: s.Ignored,
		enter: func(rel, name string) bool { return !s.exclude.match(rel, name) },
		match: s.wants,
		file: func(rel string, e fs.DirEntry) error {
			if !e.Type().IsRegular() {
				return nil
			}
			if b.files = append(b.files, rel); len(b.files) == batchFiles && !send() {
				return errStopped
			}
			return nil
		},
	}
	err := w.run(s.ctx)
	if err == nil && len(b.files) > 0 {
		send()
	}
	if err != nil && s.ctx.Err() == nil && !errors.Is(err, errStopped) {
		s.err = err
	}
	s.count(&grepTally{leftOut: w.left})
}

func (s *grepSearch) count(t *grepTally) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.add(t)
}

// searchAll searches batches until there are no more, or the search has ended.
func (s *grepSearch) searchAll(files FS) {
	stopped := func() bool { return s.ctx.Err() != nil }
	batch := grepBatch{}
	w := &grepWorker{
		fs: files, mode: s.options.Mode, multiline: s.options.Multiline, stopped: stopped, matcher: newMatcher(s.pattern, s.options.Multiline, stopped),
		print: grepPrinter{before: s.options.Before, after: s.options.After},
	}
	w.flush = func(done bool) error {
		err := s.order.put(batch.number, w.print.out, done)
		w.print.out = w.print.out[:0]
		return err
	}
	defer func() { s.count(&w.tally) }()
	for batch = range s.batches {
		for _, rel := range batch.files {
			if stopped() || w.search(path.Join(s.Root, rel), shownPath(s.Shown, rel)) != nil {
				break
			}
		}
		if w.flush(true) != nil { // also what a search that has ended has found
			return
		}
	}
}
