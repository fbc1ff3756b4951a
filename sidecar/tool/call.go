package tool

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"time"
)

// Call is one call of a tool, with all that the tool may use. Its parts are nil where the tool requires
// nothing of the kind, or the sidecar has nothing to give.
type Call struct {
	// Args are the arguments: an object that satisfies the schema, with its defaults.
	Args json.RawMessage
	// Out takes the result's text as it comes: it is streamed, and cut at the tool's limit, with the rest
	// in a side file. A write fails when nobody wants more: the tool should end then. Only one
	// goroutine may write at a time.
	Out io.Writer
	// Session is what the calls of one conversation share; it is never nil.
	Session *Session

	FS    FS
	Net   Net
	Shell Shell
	// Asker asks the person behind the call.
	Asker Asker
	// Finder finds tools for the caller.
	Finder Finder
	// Calls calls other tools.
	Calls Calls
	// Search is how web_search searches.
	Search Search
	// Skills are those that the tool skill loads.
	Skills Skills
	// Agents are those to which the tool task gives work.
	Agents Agents
	// Undo is what the tool undo takes back.
	Undo Undo
	// Say tells those who follow the call what happens, in a few words. nil: nobody follows.
	Say func(words string)
}

// Result is what a call gives beside the text that it wrote to Out. nil is a result with nothing else.
type Result struct {
	// Data is the result as JSON, in place of the text; nil: the text is the result.
	Data json.RawMessage
	// Files are returned beside the text, as they are.
	Files []File
	// Notes are members of the metadata of the call's task, and of the task that it is a part of: what people
	// who look at the work want to know. The values are JSON.
	Notes map[string]json.RawMessage
	// Changes are what became of files, for clients that show differences.
	Changes []Change
	// Terminal is the command that the call ran, for clients that show terminals; nil: it ran none.
	Terminal *Terminal
}

// Terminal is a command that a call ran. What it said is what the call wrote to Out.
type Terminal struct {
	// ID is the process's, if it goes on after the call; else "".
	ID      string
	Command string
	Dir     string // as the arguments have it, "" for the workspace
	Exit    *Exit  // nil: it was stopped, or goes on
}

// File is a file that a tool returns.
type File struct {
	Name      string
	MediaType string
	Content   []byte
}

// Change is one file before and after. Old is nil if there was none, and New if there is none any more.
type Change struct {
	Path     string
	Old, New *string
}

// The errors of FS. Each stands in an fs.PathError or is wrapped with the path; they are written for the
// model.
var (
	ErrOutside = errors.New("it is outside of what this call may use")
	ErrLink    = errors.New("a symbolic link has come into its way")
	ErrKind    = errors.New("it is no regular file")
	ErrIsDir   = errors.New("it is a directory")
	ErrDenied  = errors.New("the rules do not let this call use it")
	ErrChanged = errors.New("it was changed meanwhile")
)

// FS is the files that one call may use. Paths are as the arguments have them: absolute, or relative to
// the workspace. What is opened is what was judged, below a root of the task; no link is followed to
// anything else. Only the goroutine that runs the tool may use an FS, and that of Workers its own.
type FS interface {
	// Path returns the absolute path that is meant, with its links resolved as they were when the call
	// was judged, and the name by which it is shown: relative to the workspace if it is in it.
	Path(path string) (resolved, shown string, err error)
	// Stat returns what is there. A link is not followed.
	Stat(path string) (fs.FileInfo, error)
	// Open opens a regular file for reading.
	Open(path string) (Opened, error)
	// ReadDir returns the entries of a directory, in no order.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Replace writes a file at once: whoever reads it sees the old one or the new one, also after a crash.
	// Directories that are missing are made; the mode and the owner stay. old is what the caller
	// believes to replace, nil for nothing; ErrChanged says that it is no longer so.
	Replace(path string, content []byte, old fs.FileInfo) error
	// Restore is Replace for a file that gets these permissions.
	Restore(path string, content []byte, mode fs.FileMode, old fs.FileInfo) error
	// Remove removes a regular file that still is old; else ErrChanged.
	Remove(path string, old fs.FileInfo) error
	// Workers runs work n times at once, each with an FS of its own for the same files, and returns when all
	// have returned.
	Workers(n int, work func(FS))
	// Skipped returns how many files and directories were left out because the rules deny them or ask
	// about them: nobody asked for them by name.
	Skipped() int
}

// Opened is a file that is open for reading.
type Opened interface {
	io.Reader
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// Calls calls other tools. Only the goroutine that runs the tool may use it.
type Calls interface {
	// Call calls a tool as a part of this call, for the same caller: it goes through all the stages of a call, with
	// its own rules, sandbox and audit, and is stopped with this one. It returns when that call has ended. The
	// error says that it has no result, in words; if ctx has ended, it is the cause.
	Call(ctx context.Context, n Nested) (json.RawMessage, error)
}

// Nested is a call that a tool makes.
type Nested struct {
	// Tool is the canonical name.
	Tool string
	// Args are the arguments: an object.
	Args json.RawMessage
	// Timeout is the time of its execution: waiting for its turn or an approval does not count. 0: the
	// tool's own.
	Timeout time.Duration
	// Covered says that the nested call is what the call itself is for: a rule that asked about the call, and was
	// answered with a yes, does not ask about the nested call again. Another rule does, and a deny holds.
	Covered bool
}

// Net is the network that one call may use: hosts that its rules allow, and never an address that nobody
// may be sent to.
type Net interface {
	// Get fetches a URL. Each redirect is judged as the first address is. The body must be closed.
	Get(ctx context.Context, url string) (*Response, error)
}

// Response is what a server answered.
type Response struct {
	URL       string // after the redirects
	Status    int
	MediaType string // without parameters, in lower case
	Charset   string // "" if it is not told
	Body      io.ReadCloser
}

// Shell runs command lines by sh -c: as the program of an exec tool is run, in the sandbox of what the call's tool
// requires. A call starts at most one process. What the shell leaves running does not delay the end of the call, and is
// stopped after it.
type Shell interface {
	// Run runs a line in a directory, "" for the workspace, which is the one that was judged, and returns when the
	// shell has ended. What it says, both streams in the order in which they were written, goes to out.
	// After timeout, or the end of ctx, all its processes are stopped, and the error is the cause.
	Run(ctx context.Context, line, dir string, timeout time.Duration, out io.Writer) (Exit, error)
	// Start starts a line likewise, and returns at once. The process belongs to the conversation: it goes on when
	// the call and the turn have ended, and ends with the conversation or the sidecar.
	Start(ctx context.Context, line, dir string) (Process, error)
	// Processes returns those of the conversation that Start has started, the oldest first. Of those that have
	// ended, old ones are forgotten.
	Processes() []Process
}

// Process is a command that goes on. Its methods may be called from many goroutines.
type Process interface {
	ID() string // unique in the conversation
	Line() string
	Began() time.Time
	// Read returns what the process said since the last Read, at most its newest MaxUnread bytes, and how many
	// bytes before those are lost. Secrets are taken out of it.
	Read() (said []byte, lost int64)
	// Wait returns when there is something to Read, the process has ended, or ctx has.
	Wait(ctx context.Context)
	// Stop stops the process with all that it has started, and returns when they are gone.
	Stop()
	// Exit returns how the process has ended; ended is false while it runs. A process that Stop, or the end of the
	// conversation, ended is stopped.
	Exit() (exit Exit, stopped, ended bool)
}

// MaxUnread is how much of what a process says is kept until it is read, in bytes.
const MaxUnread = 256 << 10

// Exit is how a command ended: its code, or the signal's name that ended it.
type Exit struct {
	Code   int
	Signal string
}

// Success reports whether the code is 0 and no signal ended the command.
func (e Exit) Success() bool { return e == Exit{} }

// String returns "exit status 3" or "killed by SIGKILL".
func (e Exit) String() string {
	if e.Signal != "" {
		return "killed by " + e.Signal
	}
	return "exit status " + strconv.Itoa(e.Code)
}
