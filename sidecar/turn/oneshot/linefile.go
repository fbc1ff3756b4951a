package oneshot

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// lineFile is a file of lines that only grows. A line that was cut off, by a crash
// or a full disk, does not spoil the next one. Its methods are for one goroutine at
// a time.
type lineFile struct {
	file *os.File
	cut  bool // the last line has no end
}

// openLineFile opens the file, makes it if it is missing, and calls read for each
// line.
func openLineFile(path string, read func(line string)) (*lineFile, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			read(line)
		}
	}
	return &lineFile{file: file, cut: len(data) > 0 && data[len(data)-1] != '\n'}, nil
}

// add appends a line. It is on disk when add returns.
func (l *lineFile) add(line string) error {
	if l.cut {
		line = "\n" + line
	}
	if _, err := l.file.WriteString(line + "\n"); err != nil {
		l.cut = true
		return err
	}
	l.cut = false
	return l.file.Sync()
}

func (l *lineFile) Close() error { return l.file.Close() }

// syncDir makes a new entry of a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
