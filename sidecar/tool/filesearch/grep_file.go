package filesearch

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strconv"
)

// grepTally counts what became of files.
type grepTally struct {
	leftOut
	searched int // files
	binary   int
	large    int // files with more than maxWhole bytes, with multiline
	longLine int // lines with more than maxSearchedLine bytes
}

func (t *grepTally) add(o *grepTally) {
	t.leftOut.add(&o.leftOut)
	t.searched += o.searched
	t.binary += o.binary
	t.large += o.large
	t.longLine += o.longLine
}

// grepWorker searches one file after the other. One goroutine uses it.
type grepWorker struct {
	fs        FS
	mode      string
	multiline bool
	stopped   func() bool
	matcher   *grepMatcher
	print     grepPrinter
	read      textReader
	tally     grepTally
	// flush takes what was printed until now; an error ends the search.
	flush func(done bool) error
}

// search searches a file. The error is that of flush: a file that cannot be read is counted.
func (w *grepWorker) search(file, shown string) error {
	f, err := w.fs.Open(file)
	if err != nil {
		w.fault(shown, err)
		return nil
	}
	defer f.Close()
	w.read.reset(f)
	w.print.file(shown)
	find := w.lines
	if w.multiline {
		find = w.whole
	}
	found, err := find()
	w.tally.longLine += w.read.cut
	switch {
	case errors.Is(err, errStopped):
		return err
	case err != nil:
		w.fault(shown, err)
	default:
		w.tally.searched++
	}
	switch {
	case found > 0 && w.mode == ModeFiles:
		w.print.out = append(append(w.print.out, shown...), '\n')
	case found > 0 && w.mode == ModeCount:
		w.print.out = append(append(w.print.out, shown...), ':')
		w.print.out = append(strconv.AppendInt(w.print.out, int64(found), 10), '\n')
	}
	return nil
}

// fault counts a file that was not searched to its end.
func (w *grepWorker) fault(shown string, err error) {
	switch {
	case errors.Is(err, errBinary):
		w.tally.binary++
	case errors.Is(err, errTooLarge):
		w.tally.large++
	case errors.Is(err, fs.ErrNotExist): // it has gone meanwhile
	default:
		w.tally.unreadable(shown, err)
	}
}

// lines searches line by line, and returns how many match.
func (w *grepWorker) lines() (found int, err error) {
	for {
		block, err := w.read.block()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return found, err
		}
		w.matcher.begin(block)
		printed := 0
		for from := 0; ; {
			l, ok := w.matcher.line(from)
			if !ok {
				break
			}
			found++
			from = l.next
			switch w.mode {
			case ModeFiles:
				return found, nil
			case ModeContent:
				printed = w.print.match(block, printed, l)
				if err := w.flushFull(); err != nil {
					return found, err
				}
			}
		}
		if w.stopped() {
			return found, errStopped
		}
		if w.mode == ModeContent && (w.print.owed > 0 || !w.read.atEnd()) {
			w.print.pass(block, printed)
		}
	}
}

// whole searches the file as one text, and returns how many matches there are; the next one is searched from the line on
// that follows a match.
func (w *grepWorker) whole() (found int, err error) {
	all, err := w.read.whole()
	if err != nil {
		return 0, err
	}
	if bytes.IndexByte(all, '\r') >= 0 {
		all = bytes.ReplaceAll(all, []byte("\r\n"), []byte("\n"))
	}
	if !w.matcher.any(all) {
		return 0, nil
	}
	re := w.matcher.pattern.first
	for from, printed := 0, 0; from < len(all); re = w.matcher.pattern.next {
		at := re.FindReaderIndex(&runeReader{text: all[from:], stopped: w.stopped})
		if w.stopped() {
			return found, errStopped
		}
		if at == nil || from+at[0] == len(all) && all[len(all)-1] == '\n' {
			break
		}
		begin, end := from+at[0], from+at[1]
		found++
		if w.mode == ModeFiles {
			break
		}
		last := lineAt(all, max(begin, end-1))
		if from = last.next; w.mode == ModeCount {
			continue
		}
		first := lineAt(all, begin)
		first.at = min(end, first.end)
		for printed = w.print.match(all, printed, first); printed < from; {
			printed = w.print.around(all, printed, ':')
		}
		if err := w.flushFull(); err != nil {
			return found, err
		}
		if from == len(all) {
			break
		}
	}
	return found, nil
}

// flushSize is how many bytes are printed before they are handed on.
const flushSize = 32 << 10

// flushFull hands on what was printed if it is much.
func (w *grepWorker) flushFull() error {
	if len(w.print.out) < flushSize {
		return nil
	}
	return w.flush(false)
}
