package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// journal is where run's log goes. While a person's terminal is the agent's, nothing
// may be written to it: the log goes to a file, and warnings are shown when the
// terminal is ours again.
type journal struct {
	log  *slog.Logger
	file *os.File   // nil: stderr
	held *heldLines // nil: nothing is held back
	hold *startHold // nil: what is logged during the start is shown at once
	std  Std
}

func openJournal(c *config.Config, std Std, person bool) (*journal, error) {
	j := &journal{std: std}
	path := c.LogFile
	if path == "" && person {
		path = defaultLogFile(std)
	}
	var err error
	if path != "" {
		if j.file, err = openLogFile(path, c.LogFile == ""); err != nil && c.LogFile != "" {
			return nil, &exitError{code: exitFault, err: fmt.Errorf("log file: %w", err), hint: "--log-file FILE"}
		}
	}
	j.log = slog.New(j.handler(c, person))
	if err != nil { // our own choice of place failed: a read-only root, a user without a home
		j.log.Warn("there is no log file, the log is in memory only; --log-file gives it a place", "error", err)
	}
	return j, nil
}

// handler returns a handler that writes to the file or to stderr, and holds warnings
// back for a person who could not see them otherwise.
func (j *journal) handler(c *config.Config, person bool) slog.Handler {
	options := &slog.HandlerOptions{Level: c.LogLevel, ReplaceAttr: cleanAttr}
	var w io.Writer = j.std.Err
	switch {
	case j.file != nil:
		w = j.file
	case person:
		w = io.Discard
	}
	var h slog.Handler
	if c.LogFormat == "text" || c.LogFormat == "auto" && j.file == nil && isTerminal(j.std.Err) {
		h = slog.NewTextHandler(w, options)
	} else {
		h = slog.NewJSONHandler(w, options)
	}
	if !person && j.file == nil && c.LogLevel >= slog.LevelInfo {
		j.hold = newStartHold()
		return j.hold.handler(h)
	}
	if !person {
		return h
	}
	j.held = &heldLines{}
	later := slog.NewTextHandler(j.held, &slog.HandlerOptions{Level: max(slog.LevelWarn, c.LogLevel), ReplaceAttr: untimed})
	return slog.NewMultiHandler(h, taskless{later})
}

// seal stops keeping warnings: the person who ended the session has caused what is
// stopped then, and how, and need not be warned of it. What was held back of the start is passed on before:
// a start that somebody has ended is no error that says everything.
func (j *journal) seal() {
	j.hold.release()
	if j.held != nil {
		j.held.seal()
	}
}

// taskless drops records about one task: the task's caller has been told, and they
// are in the log file.
type taskless struct{ slog.Handler }

func (t taskless) Handle(ctx context.Context, r slog.Record) error {
	about := false
	r.Attrs(func(a slog.Attr) bool {
		about = a.Key == "task"
		return !about
	})
	if about {
		return nil
	}
	return t.Handler.Handle(ctx, r)
}

func (t taskless) WithAttrs(attrs []slog.Attr) slog.Handler {
	if slices.ContainsFunc(attrs, func(a slog.Attr) bool { return a.Key == "task" }) {
		return slog.DiscardHandler
	}
	return taskless{t.Handler.WithAttrs(attrs)}
}

func (t taskless) WithGroup(name string) slog.Handler { return taskless{t.Handler.WithGroup(name)} }

// close prints what was held back, unless the start failed: its error then says
// everything.
func (j *journal) close(served bool) {
	j.hold.drop()
	if j.held != nil && served {
		j.held.writeTo(j.std.Err)
	}
	if j.file != nil {
		j.file.Close()
	}
}

// cleanAttr cleans what outsiders said, so that the terminal of whoever reads the log
// does not obey it.
func cleanAttr(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value; v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(printableLines(v.String()))
	case slog.KindAny:
		if err, ok := v.Any().(error); ok {
			a.Value = slog.StringValue(printableLines(err.Error()))
		}
	}
	return a
}

// untimed is cleanAttr for lines that are read at once.
func untimed(groups []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey && len(groups) == 0 {
		return slog.Attr{}
	}
	return cleanAttr(groups, a)
}

// heldLines keeps the first lines that are written to it for later, until it is
// sealed.
type heldLines struct {
	mu      sync.Mutex
	kept    bytes.Buffer
	dropped int
	sealed  bool
}

const maxHeld = 16 << 10

func (h *heldLines) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.sealed:
		return len(p), nil
	case h.kept.Len()+len(p) > maxHeld:
		h.dropped++
		return len(p), nil
	}
	return h.kept.Write(p)
}

func (h *heldLines) seal() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sealed = true
}

func (h *heldLines) writeTo(w io.Writer) {
	h.mu.Lock()
	kept, dropped := h.kept.String(), h.dropped
	h.mu.Unlock()
	for line := range strings.Lines(kept) {
		fmt.Fprintf(w, "sidecar: %s", line)
	}
	if dropped > 0 {
		fmt.Fprintf(w, "sidecar: and %d more, in the log file\n", dropped)
	}
}

// defaultLogFile returns a path under XDG_STATE_HOME, "" if there is no home for it.
func defaultLogFile(std Std) string {
	state := std.Getenv("XDG_STATE_HOME")
	if home := std.Getenv("HOME"); state == "" && home != "" {
		state = filepath.Join(home, ".local", "state")
	}
	if state == "" {
		return ""
	}
	return filepath.Join(state, "sidecar", "sidecar.log")
}

// maxLogFile is how many bytes of earlier runs a log of ours keeps before it begins
// again.
const maxLogFile = 8 << 20

// openLogFile opens a log file to append to it. ours says that we chose the file: its
// directory is then made, and it does not grow without limit.
func openLogFile(path string, ours bool) (*os.File, error) {
	flags := os.O_CREATE | os.O_APPEND | os.O_WRONLY
	if ours {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if info, err := os.Stat(path); err == nil && info.Size() > maxLogFile {
			flags |= os.O_TRUNC
		}
	}
	return os.OpenFile(path, flags, 0o600)
}
