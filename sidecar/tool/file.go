package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// maxEdited is the most bytes of a file that is changed: it is in memory as it was and as it will be.
const maxEdited = 16 << 20

// fileTimeout is how long a call takes that reads or changes one file. A file may be as large as its system lets it, and as slow.
const fileTimeout = time.Minute

// byteOrderMark is what some editors put before a text.
const byteOrderMark = "\ufeff"

// anywhere are the directories of a task, as requirements name them.
func anywhere() []string { return []string{"{workspace}", "{ad-hoc}"} }

// unusable returns an error of a file in words for the model: what cannot be done, why, and what to do
// instead.
func unusable(shown, done string, err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	hint := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist: find the file with glob", text.Show(shown))
	case errors.Is(err, ErrIsDir):
		hint = ": list what is in it with glob"
	case errors.Is(err, ErrChanged):
		hint = ": read it again"
	case errors.Is(err, ErrKind):
		hint = ", but a pipe, a socket or a device"
	}
	return fmt.Errorf("%s cannot be %s: %w%s", text.Show(shown), done, err, hint)
}

// document is a text file that is changed.
type document struct {
	shown    string
	resolved string
	info     fs.FileInfo // nil: there is none yet
	content  []byte      // nil: it could not be read
	unread   error       // why
}

// documentAt returns the file at a path, as it is now. It is no error if there is none, or if it cannot be
// read.
func documentAt(c *Call, path, done string) (*document, error) {
	resolved, shown, err := c.FS.Path(path)
	if err != nil {
		return nil, unusable(path, done, err)
	}
	d := &document{shown: shown, resolved: resolved}
	d.info, err = c.FS.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.info = nil
		return d, nil
	case err != nil:
		return nil, unusable(shown, done, err)
	case d.info.IsDir():
		return nil, unusable(shown, done, ErrIsDir)
	}
	d.content, d.unread = d.readAll(c, path)
	return d, nil
}

// readAll reads all of the file. What was opened counts as what was there.
func (d *document) readAll(c *Call, path string) ([]byte, error) {
	f, err := c.FS.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if d.info, err = f.Stat(); err != nil {
		return nil, err
	}
	if d.info.Size() > maxEdited {
		return nil, tooBig(d.info.Size())
	}
	content, err := io.ReadAll(io.LimitReader(f, maxEdited+1))
	switch {
	case err != nil:
		return nil, err
	case len(content) > maxEdited:
		return nil, tooBig(int64(len(content)))
	}
	return append([]byte{}, content...), nil // not nil if it is empty
}

func tooBig(size int64) error {
	return fmt.Errorf("it has %d bytes, and %s is the most: change it with a command", size, text.FormatSize(maxEdited))
}

// crlf reports whether the lines of a text end in CRLF, more of them than not.
func crlf[T ~string | ~[]byte](content T) bool {
	all, with := bytes.Count([]byte(content), []byte("\n")), bytes.Count([]byte(content), []byte("\r\n"))
	return with > all-with
}

// toCRLF ends each line in CRLF.
func toCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// links says what happens to the other names of a file that was replaced, "" if it had none.
func (d *document) links() string {
	i, ok := d.info.(interface{ Links() int })
	if !ok || i.Links() < 2 {
		return ""
	}
	return fmt.Sprintf(" It had %s: the other names keep the old content.", text.Count(i.Links(), "hard link"))
}
