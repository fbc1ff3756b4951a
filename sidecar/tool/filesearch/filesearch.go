package filesearch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// MaxTime is how long a search takes at most; then it ends with what it has.
const MaxTime = 10 * time.Second

// MaxQuoted is how many bytes of an argument an error repeats.
const MaxQuoted = 200

// FS is the files of a search. Its errors are written for the model. Only one goroutine uses an FS, and each of Workers its own.
type FS interface {
	// Stat returns what is there. A link is not followed.
	Stat(path string) (fs.FileInfo, error)
	// Open opens a regular file for reading.
	Open(path string) (io.ReadCloser, error)
	// ReadDir returns the entries of a directory, in no order.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Workers runs work n times at once, each with an FS of its own for the same files, and returns when all have returned.
	Workers(n int, work func(FS))
	// Skipped returns how many files and directories were left out because they are denied.
	Skipped() int
}

// Scope is what is searched.
type Scope struct {
	// Root is the path at which the search begins, as the FS takes it, and Shown is what its files' paths begin with in
	// the result.
	Root, Shown string
	// Hidden and Ignored say that files whose names begin with a dot, and those that ignore rules name, are wanted too.
	Hidden, Ignored bool
}

// RootError says that a search could not begin: its root cannot be read.
type RootError struct{ Err error }

// Error implements error.
func (e *RootError) Error() string { return e.Err.Error() }

// Unwrap returns why.
func (e *RootError) Unwrap() error { return e.Err }

// errTime ends a search that takes too long.
var errTime = fmt.Errorf("the search has taken %s", MaxTime)

// withTime returns a context that ends with the time that a search has.
func withTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, MaxTime, errTime)
}

// Reason returns the cause of an error without the operation and the path, which the text around it names.
func Reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// writeNotes writes each note on a line of its own, in parentheses.
func writeNotes(out io.Writer, notes []string) {
	for _, n := range notes {
		fmt.Fprintf(out, "(%s)\n", n)
	}
}
