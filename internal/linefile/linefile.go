package linefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is an open file of lines. Its methods are for one goroutine at a time.
type File struct {
	path string
	file *os.File
	cut  bool // the last line has no end
}

// Open opens the file, makes it if it is missing, and calls read for each line that is not empty. The
// caller syncs the directory (SyncDir) once all its files are there.
func Open(path string, read func(line string)) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := appendTo(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			read(line)
		}
	}
	return &File{path: path, file: file, cut: len(data) > 0 && data[len(data)-1] != '\n'}, nil
}

func appendTo(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}

// Add appends a line. It is on disk when Add returns.
func (f *File) Add(line string) error {
	if f.cut {
		line = "\n" + line
	}
	if _, err := f.file.WriteString(line + "\n"); err != nil {
		f.cut = true
		return err
	}
	f.cut = false
	return f.file.Sync()
}

// Rewrite replaces the file's lines. After an error the file has its old lines, or the new ones.
func (f *File) Rewrite(lines []string) error {
	temp := f.path + ".new"
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a crash
		return err
	}
	next, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(temp) // gone if all went well
	var all strings.Builder
	for _, line := range lines {
		all.WriteString(line)
		all.WriteByte('\n')
	}
	_, err = next.WriteString(all.String())
	if err = errors.Join(err, next.Sync(), next.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, f.path); err != nil {
		return err
	}
	file, err := appendTo(f.path)
	if err != nil {
		return err
	}
	old := f.file
	f.file, f.cut = file, false
	return errors.Join(old.Close(), SyncDir(filepath.Dir(f.path)))
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// SyncDir makes a new entry of a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
