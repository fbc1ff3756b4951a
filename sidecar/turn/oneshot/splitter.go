package oneshot

import "bytes"

// maxDocument is the longest document that is read, in bytes. Agents put whole
// files into one line.
const maxDocument = 32 << 20

// splitter cuts a stream into JSON objects: one per line, or wherever an object
// ends. Bytes between objects are skipped. It is used by one goroutine.
type splitter struct {
	lines bool // an object ends with its line, even an incomplete one
	each  func(doc []byte)

	doc      []byte
	depth    int
	inString bool
	escaped  bool
	skipping bool // the rest of the line is skipped: it holds no object, or too much
	dropped  int  // how many documents were too long
}

func (s *splitter) write(chunk []byte) {
	for len(chunk) > 0 {
		if s.lines {
			chunk = s.line(chunk)
		} else {
			chunk = s.object(chunk)
		}
	}
}

// end passes on a last line without a newline.
func (s *splitter) end() {
	if s.lines && !s.skipping {
		s.flushLine()
	}
}

// line takes the bytes up to the end of the line, and returns the rest.
func (s *splitter) line(chunk []byte) []byte {
	n := bytes.IndexByte(chunk, '\n')
	if n < 0 {
		s.keep(chunk)
		return nil
	}
	s.keep(chunk[:n])
	if !s.skipping {
		s.flushLine()
	}
	s.reset()
	return chunk[n+1:]
}

func (s *splitter) flushLine() {
	if doc := bytes.TrimSpace(s.doc); len(doc) > 0 && doc[0] == '{' {
		s.each(doc)
	}
}

// keep adds to the document, unless the document gets too long.
func (s *splitter) keep(p []byte) {
	if s.skipping {
		return
	}
	if len(s.doc)+len(p) > maxDocument {
		s.skipping, s.doc = true, nil
		s.dropped++
		return
	}
	s.doc = append(s.doc, p...)
}

func (s *splitter) reset() {
	if cap(s.doc) > 1<<20 {
		s.doc = nil // do not keep the memory of one long document
	}
	s.doc = s.doc[:0]
	s.depth, s.inString, s.escaped, s.skipping = 0, false, false, false
}

// object takes the bytes up to the end of an object, and returns the rest.
func (s *splitter) object(chunk []byte) []byte {
	if s.depth == 0 {
		n := bytes.IndexByte(chunk, '{')
		if n < 0 {
			return nil
		}
		chunk = chunk[n:]
	}
	for i, c := range chunk {
		if s.step(c) {
			s.keep(chunk[:i+1])
			if !s.skipping {
				s.each(s.doc)
			}
			s.reset()
			return chunk[i+1:]
		}
	}
	s.keep(chunk)
	return nil
}

// step follows the nesting and reports whether this byte ends the object.
func (s *splitter) step(c byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.inString:
		s.escaped = c == '\\'
		// A JSON string never spans lines: this one was cut off.
		s.inString = c != '"' && c != '\n'
	case c == '"':
		s.inString = true
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		s.depth--
		return s.depth == 0
	}
	return false
}
