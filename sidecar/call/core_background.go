package call

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// background is one process that goes on.
type background struct {
	number  int // in its conversation
	of      conversation
	line    string
	began   time.Time
	stop    context.CancelCauseFunc
	running chan struct{} // closed when it runs, or could not be started: then over is closed too
	over    chan struct{} // closed when it has ended, and err, exit and stopped are set

	record func(*background, *job.Result) // notes the end in the audit

	err     error // it could not be started
	exit    tool.Exit
	stopped bool

	mu     sync.Mutex
	child  *proc.Child
	stream *output.Stream // takes secrets out; nil: there are none
	tail   tail
	bytes  int64         // that it has said
	news   chan struct{} // closed at the next output, or the end
}

var _ tool.Process = (*background)(nil)

// Start implements tool.Shell.
func (s *shell) Start(_ context.Context, line, dir string) (tool.Process, error) {
	b := &background{
		of: s.inv.conversation(), line: line, began: time.Now(), running: make(chan struct{}), over: make(chan struct{}), news: make(chan struct{}),
		stream: s.inv.secrets.Stream(), tail: tail{most: tool.MaxUnread},
	}
	own, stop := context.WithCancelCause(s.p.hard)
	b.stop = stop
	if err := s.p.backgrounds.add(b); err != nil {
		stop(nil)
		return nil, err
	}
	j, in, err := s.equip(line, dir)
	if err == nil {
		b.record = s.p.recordLeft(s.inv)
		s.p.work.Go(func() { b.run(own, s.p, j, in) })
		<-b.running
		if !b.failed() {
			return b, nil
		}
		err = unstartable{b.err}
	} else {
		in.net.Close()
		in.remove()
		b.ended(job.Result{}, err)
		stop(nil)
	}
	s.p.backgrounds.forget(b)
	return nil, err
}

// run runs the process until it has ended.
func (b *background) run(ctx context.Context, p *Pipeline, j job.Job, in confinement) {
	defer b.stop(nil)
	started := sync.OnceFunc(func() { close(b.running) })
	j.Started = func(c *proc.Child) {
		b.mu.Lock()
		b.child = c
		b.mu.Unlock()
		started()
	}
	j.Output = b.say
	res, err := p.jobs.Run(ctx, j)
	in.net.Close()
	in.remove()
	if err == nil {
		b.record(b, &res)
	}
	b.ended(res, err)
	started()
}

// say takes what the process says.
func (b *background) say(chunk []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes += int64(len(chunk))
	b.tail.add(b.stream.Next(chunk))
	b.tell()
}

// said returns how many bytes the process has said until now.
func (b *background) said() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes
}

// tell wakes those who wait. The lock is held.
func (b *background) tell() {
	close(b.news)
	b.news = make(chan struct{})
}

// ended notes the end.
func (b *background) ended(res job.Result, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tail.add(b.stream.Close())
	b.err, b.exit, b.stopped = err, exitOf(res.Exit), res.Stopped != nil
	close(b.over)
	b.tell()
}

// failed reports whether the process could not be started.
func (b *background) failed() bool {
	select {
	case <-b.over:
		return b.err != nil
	default:
		return false
	}
}

// Processes implements tool.Shell.
func (s *shell) Processes() []tool.Process {
	var list []tool.Process
	for _, b := range s.p.backgrounds.which(func(b *background) bool { return b.of == s.inv.conversation() }) {
		list = append(list, b)
	}
	return list
}

// ID implements tool.Process.
func (b *background) ID() string { return "bg-" + strconv.Itoa(b.number) }

// Line implements tool.Process.
func (b *background) Line() string { return b.line }

// Began implements tool.Process.
func (b *background) Began() time.Time { return b.began }

// Read implements tool.Process.
func (b *background) Read() (said []byte, lost int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, _, over := b.Exit()
	return b.tail.take(over)
}

// Wait implements tool.Process.
func (b *background) Wait(ctx context.Context) {
	b.mu.Lock()
	news, there := b.news, len(b.tail.kept) > 0
	b.mu.Unlock()
	if _, _, over := b.Exit(); over || there {
		return
	}
	select {
	case <-news:
	case <-ctx.Done():
	}
}

// Stop implements tool.Process. What the process has left running when it ended by itself is stopped too.
func (b *background) Stop() {
	b.stop(errStopped)
	<-b.over
	b.mu.Lock()
	child := b.child
	b.mu.Unlock()
	if child != nil {
		child.Stop()
	}
}

// errStopped is the cause that ends a process which is stopped on request.
var errStopped = errors.New("it was stopped")

// Exit implements tool.Process.
func (b *background) Exit() (exit tool.Exit, stopped, ended bool) {
	select {
	case <-b.over:
		return b.exit, b.stopped, true
	default:
		return tool.Exit{}, false, false
	}
}
