package dial

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

const (
	// StdinGrace is how long a program may take to end after its standard input was closed.
	StdinGrace = 2 * time.Second
	// silentGrace is how long a program may live on after it has closed its standard output:
	// nothing can come of it any more.
	silentGrace = time.Second
	// maxWords bounds a line of a program's standard error in an error, in bytes.
	maxWords = 300
)

// process is a server's program that runs. It is the reading end of its standard output.
type process struct {
	d     *Dialer
	slug  string
	child *proc.Child
	files *job.Folder // nil: none
	// confined says that it runs in a sandbox.
	confined bool
	net      *confine.Net // nil: none of its own

	out  *io.PipeReader
	in   *io.PipeWriter // what the program has written goes here
	gone chan struct{}  // closed when run has returned

	closing sync.Once
	over    bool // it has ended; the dialer's lock guards it

	mu     sync.Mutex
	stderr job.Stderr
}

func newProcess(d *Dialer, slug string) *process {
	p := &process{d: d, slug: slug, gone: make(chan struct{})}
	p.out, p.in = io.Pipe()
	return p
}

// run reads what the program writes until it has ended, and ends what it left behind.
func (p *process) run() {
	defer p.d.wg.Done()
	defer close(p.gone)
	silent := make(chan struct{})
	go func() { defer close(silent); p.silence() }()
	exit := p.child.Output(func(chunk []byte) { _, _ = p.in.Write(chunk) }, p.hear) // nobody reads after Close
	<-silent
	p.child.Stop()
	err := &EndedError{Exit: exit, Words: p.lastWords(), Confined: p.confined}
	_ = p.in.CloseWithError(err) // never fails
	p.d.o.Log.Debug("an MCP server has ended", "server", p.slug, "pid", p.child.PID(), "exit", exit.String(), "said", err.Words)
	p.release()
	p.d.forget(p)
}

// silence stops a program that has closed its standard output and lives on.
func (p *process) silence() {
	select {
	case <-p.child.Exited():
		return
	case <-p.child.Silent():
	}
	if !p.ends(silentGrace) {
		p.child.Stop()
	}
}

// ends waits for the program's end, and reports whether it came in time.
func (p *process) ends(limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-p.child.Exited():
		return true
	case <-t.C:
		return false
	}
}

// release releases what the program had for itself.
func (p *process) release() {
	p.net.Close()
	_ = p.files.Remove() // Close of the folders removes what could not be removed
}

func (p *process) hear(chunk []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stderr.Add(chunk)
}

// lastWords returns the line of standard error that says most about the end, "" for none.
func (p *process) lastWords() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return text.Line(strings.TrimSpace(telling(p.stderr.Reason())), maxWords)
}

// telling returns the last line that begins with the name of an error, as in "TypeError: x is
// undefined", else the last line: some interpreters print more after it, such as their version.
func telling(said string) string {
	last, fault := "", ""
	for line := range strings.Lines(said) {
		last = line
		if name, _, ok := strings.Cut(line, ": "); ok {
			name, _, _ = strings.Cut(name, " ")
			if strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") {
				fault = line
			}
		}
	}
	return cmp.Or(fault, last)
}

// missesFile reports whether a program says that it cannot find or open a file.
func missesFile(words string) bool {
	words = strings.ToLower(words)
	return slices.ContainsFunc([]string{"cannot find", "can't open", "no such file", "not found", "permission denied", "eacces", "enoent", "eperm"},
		func(says string) bool { return strings.Contains(words, says) })
}

// Read implements io.Reader. The error is an *EndedError after the program has ended.
func (p *process) Read(b []byte) (int, error) { return p.out.Read(b) }

// Close implements io.Closer: it ends the program and what it has started, and returns when they
// are gone.
func (p *process) Close() error {
	p.closing.Do(func() {
		_ = p.out.CloseWithError(io.ErrClosedPipe) // never fails; a Read that waits ends
		_ = p.child.Stdin().Close()                // it may be closed already
		if !p.ends(StdinGrace) {
			p.child.Stop()
		}
	})
	<-p.gone
	return nil
}

// stdin returns the writing end of the program's standard input.
func (p *process) stdin() io.WriteCloser { return p.child.Stdin() }

// EndedError is the error with which the output of a server's program ends.
type EndedError struct {
	Exit proc.Exit
	// Words are the line of its standard error that says most about the end, "" for none.
	Words string
	// Confined says that it ran in a sandbox.
	Confined bool
}

func (e *EndedError) Error() string {
	says := "its program has ended: " + e.Exit.String()
	if e.Words != "" {
		says += ": " + e.Words
	}
	if e.Confined && missesFile(e.Words) {
		says += "; in its sandbox it reads only what requires.fs.read names: add the directory"
	}
	return says
}
