package audit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
)

// lineLimit is the longest line that is read, in bytes.
const lineLimit = 64 << 20

// Line is one line of an audit as it stands in a file.
type Line struct {
	File   string
	Number int // from 1
	Record Record
	// Err says what is wrong with the line by itself. Record is then not complete.
	Err error
	// Torn says that the line has no end: it is being written, or a crash tore it.
	Torn bool
}

// Lines returns all lines of an audit, the oldest first, from all files that there are.
// An error about a file ends it, as a Line with that error and Number 0. A sidecar may
// write to the audit meanwhile.
func Lines(path string) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		files, err := filesOf(path)
		if err != nil {
			yield(Line{File: path, Err: err})
			return
		}
		for _, file := range files {
			if !linesOf(file, yield) {
				return
			}
		}
	}
}

// filesOf returns the files of an audit that exist, the oldest first.
func filesOf(path string) ([]string, error) {
	var all []string
	if _, err := os.Stat(path); err == nil {
		all = append(all, path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for n := 1; ; n++ {
		if _, err := os.Stat(old(path, n)); err != nil {
			break
		}
		all = append([]string{old(path, n)}, all...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no audit %s", path)
	}
	return all, nil
}

// linesOf yields the lines of one file and reports whether to go on.
func linesOf(file string, yield func(Line) bool) bool {
	f, err := os.Open(file)
	if err != nil {
		yield(Line{File: file, Err: err})
		return false
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	for number := 1; ; number++ {
		raw, err := readLine(r)
		switch {
		case err == nil:
			l := Line{File: file, Number: number}
			l.Record, l.Err = parseLine(raw[:len(raw)-1])
			if !yield(l) {
				return false
			}
		case !errors.Is(err, io.EOF):
			yield(Line{File: file, Number: number, Err: err})
			return false
		default:
			return len(raw) == 0 || yield(Line{File: file, Number: number, Torn: true})
		}
	}
}

// readLine returns the next line with its end, or what is left and io.EOF.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > lineLimit {
			return nil, fmt.Errorf("the line is longer than %d MiB", lineLimit>>20)
		}
	}
}
