package tool

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
)

// lineWriter writes some of the lines that it is given, in pieces of any length.
type lineWriter struct {
	out   *bufio.Writer
	raw   bool
	first int64 // the first line that is written
	limit int64 // how many, 0 for all

	line   int64 // the number of the line in which the next piece is
	inside bool  // the next piece is not the beginning of its line
	cr     bool  // the piece before ended in CR, which is not written yet
	err    error // of out
}

// done reports whether no more lines are wanted.
func (l *lineWriter) done() bool { return l.limit > 0 && l.line-l.first >= l.limit }

// write takes a piece of a line, at most up to its end. It returns false for one that comes after what is
// wanted.
func (l *lineWriter) write(piece []byte) bool {
	if l.done() {
		if !l.raw {
			_, l.err = fmt.Fprintf(l.out, "[There is more: go on with offset %d.]", l.line)
		}
		return false
	}
	ends := bytes.HasSuffix(piece, []byte("\n"))
	if l.line >= l.first {
		l.put(piece)
	}
	l.inside = !ends
	if ends {
		l.line++
	}
	return true
}

// put writes a piece. With numbers, CRLF is shown as LF, and a byte order mark not at all.
func (l *lineWriter) put(piece []byte) {
	if !l.raw {
		if !l.inside {
			if l.line == 1 {
				piece = bytes.TrimPrefix(piece, []byte(byteOrderMark))
			}
			number := strconv.FormatInt(l.line, 10)
			for range numberWidth - len(number) {
				_ = l.out.WriteByte(' ') // the error stays, and the next write returns it
			}
			_, _ = l.out.WriteString(number + "\t")
		}
		if l.cr && !bytes.Equal(piece, []byte("\n")) {
			_ = l.out.WriteByte('\r')
		}
		if l.cr = bytes.HasSuffix(piece, []byte("\r")); l.cr {
			piece = piece[:len(piece)-1]
		}
		if bytes.HasSuffix(piece, []byte("\r\n")) {
			_, _ = l.out.Write(piece[:len(piece)-2])
			piece = piece[len(piece)-1:]
		}
	}
	_, l.err = l.out.Write(piece)
}

// numberWidth is how wide the numbers of lines are at least, as of cat -n.
const numberWidth = 6

// last ends the text.
func (l *lineWriter) last(empty bool) {
	if l.cr {
		_ = l.out.WriteByte('\r')
	}
	if empty && !l.raw && l.first == 1 {
		_, _ = l.out.WriteString("[The file is empty.]")
	}
}

// missed returns an error if the file ends before the first line that is wanted.
func (l *lineWriter) missed(shown string) error {
	lines := l.line - 1
	if l.inside {
		lines++
	}
	if l.first == 1 || lines >= l.first {
		return nil
	}
	return fmt.Errorf("offset %d is after the end of %s, which has %d lines", l.first, shown, lines)
}
