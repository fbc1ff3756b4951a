package task

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"os"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// What is taken from an outbox at a time.
const (
	maxOutboxFiles = 100
	maxOutboxBytes = 8 << 20
	maxOutboxDepth = 8
)

// Left is a file that a process left in its outbox: its path in there, fit to
// be shown, and its content, as text where it is text.
type Left struct {
	Name string
	Part a2a.Part
}

// ReadOutbox reads what a process left in its outbox, in the order of the
// names: at most 100 files, 8 MiB in all, 8 folders deep. Only plain files of
// its own are taken: neither links nor files with a second name, which may be
// somebody else's. What stays out is counted in skipped.
func ReadOutbox(outbox *os.Root) (found []Left, skipped int) {
	room, entries := int64(maxOutboxBytes), 0
	// Faults are those of single files, and are counted there.
	_ = fs.WalkDir(outbox.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch entries++; {
		case name == ".":
			return err
		case entries > 10*maxOutboxFiles:
			skipped++
			return fs.SkipAll
		case err == nil && entry.IsDir():
			if strings.Count(name, "/") >= maxOutboxDepth {
				skipped++
				return fs.SkipDir
			}
			return nil
		}
		data, err := readPlain(outbox, name, room)
		if err != nil || len(found) == maxOutboxFiles {
			skipped++
			return nil
		}
		room -= int64(len(data))
		found = append(found, left(name, data))
		return nil
	})
	return found, skipped
}

var errNotPlain = errors.New("not a plain file")

// readPlain reads a plain file of at most room bytes. What was opened is
// checked, so that nobody can swap it in between.
func readPlain(root *os.Root, name string, room int64) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); !info.Mode().IsRegular() || ok && s.Nlink > 1 {
		return nil, errNotPlain
	}
	data, err := io.ReadAll(io.LimitReader(f, room+1))
	if err == nil && int64(len(data)) > room {
		err = fmt.Errorf("larger than the %d bytes that are left", room)
	}
	return data, err
}

func left(name string, data []byte) Left {
	shown := shownName(name)
	part := a2a.Part{Kind: a2a.PartRaw, Raw: data, Filename: path.Base(shown), MediaType: mime.TypeByExtension(path.Ext(name))}
	if utf8.Valid(data) && !strings.ContainsRune(string(data), 0) {
		part.Kind, part.Raw, part.Text = a2a.PartText, nil, string(data)
	}
	return Left{Name: shown, Part: part}
}

// shownName is a file's name without what does not belong on a screen: control
// characters and those that turn the direction of text.
func shownName(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c < ' ', c >= 0x7f && c <= 0x9f, c == utf8.RuneError, c == 0x61c,
			c >= 0x200e && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x2066 && c <= 0x2069:
			return '_'
		}
		return c
	}, name)
}
