package output

// Marker stands where a secret was.
const Marker = "[redacted]"

// Stream takes secrets out of a text that comes in chunks. A nil Stream passes everything
// on. Only one goroutine may use it at a time.
type Stream struct {
	r *Redactor
	m *machine
	s *state

	buffer []byte   // holds text
	text   []byte   // what came and was not passed on yet
	at     int      // where text begins, counted from the beginning of everything
	secret []region // what is a secret, in order; none touches another
	marked int      // up to here, what was passed on ends with a marker
	inside *block   // nil: not in a block
	found  bool
	out    []byte
}

// region is a secret, counted from the beginning of everything.
type region struct{ from, to int }

// Next takes a chunk and returns what can be passed on now. The result is valid until the
// next call; a nil Stream returns the chunk itself.
func (s *Stream) Next(chunk []byte) []byte {
	if s == nil {
		return chunk
	}
	if s.m == nil {
		s.m = s.r.machine()
		s.s = s.m.root
	}
	s.buffer = append(append(s.buffer[:0], s.text...), chunk...)
	s.text = s.buffer
	s.scan(chunk)
	hold := 0
	if s.inside == nil {
		hold = s.s.hold
	}
	return s.pass(s.at + len(s.text) - hold)
}

// Close returns the rest. The Stream must not be used after that, but for Found.
func (s *Stream) Close() []byte {
	if s == nil || s.m == nil {
		return nil
	}
	rest := s.pass(s.at + len(s.text))
	s.r.release(s.m)
	s.m, s.s = nil, nil
	return rest
}

// Found reports whether a secret was taken out.
func (s *Stream) Found() bool { return s != nil && s.found }

// scan reads a chunk, which is the end of the text already.
func (s *Stream) scan(chunk []byte) {
	now, classes := s.s, &s.m.a.classes
	end := s.at + len(s.text) - len(chunk)
	for _, b := range chunk {
		end++
		if s.inside != nil {
			s.cover(end-1, end)
			if s.inside.ends(b) {
				s.inside, now = nil, s.m.root
			}
			continue
		}
		class := classes[b]
		next := now.next[class]
		if next == nil {
			next = s.m.step(now, class)
		}
		if now = next; now.ends {
			s.mark(now, end)
		}
	}
	s.s = now
}

// mark notes the matches that end there.
func (s *Stream) mark(now *state, end int) {
	for _, p := range now.reached {
		at := &s.m.a.all[p]
		switch {
		case !at.last:
		case at.open:
			s.cover(end-1, end)
		case at.most == at.least:
			s.cover(end-int(at.most), end)
		case s.covered(end-int(at.most), end-1):
			s.cover(end-1, end)
		default:
			s.cover(end-s.m.a.longest(p, s.text[:end-s.at]), end)
		}
		if at.last && at.block {
			s.inside = &block{left: blockWindow}
		}
	}
}

// covered reports whether everything from there to there is a secret already.
func (s *Stream) covered(from, to int) bool {
	n := len(s.secret)
	return n > 0 && s.secret[n-1].from <= from && s.secret[n-1].to >= to
}

// cover adds a secret that ends with the text, and joins what it touches.
func (s *Stream) cover(from, to int) {
	s.found = true
	n := len(s.secret)
	for n > 0 && s.secret[n-1].to >= from {
		from, to = min(from, s.secret[n-1].from), max(to, s.secret[n-1].to)
		n--
	}
	s.secret = append(s.secret[:n], region{from, to})
}

// pass returns what stands before limit, with markers in place of secrets.
func (s *Stream) pass(limit int) []byte {
	if len(s.secret) == 0 {
		return s.take(limit)
	}
	s.out = s.out[:0]
	for len(s.secret) > 0 && s.secret[0].from < limit {
		one := &s.secret[0]
		s.out = append(s.out, s.take(one.from)...)
		if s.marked != one.from || s.marked == 0 {
			s.out = append(s.out, Marker...)
		}
		s.marked = min(one.to, limit)
		s.take(s.marked)
		if one.to > limit {
			one.from = limit
			return s.out
		}
		s.secret = s.secret[1:]
	}
	s.out = append(s.out, s.take(limit)...)
	return s.out
}

// take removes the text before limit and returns it. It is valid until more text comes.
func (s *Stream) take(limit int) []byte {
	n := limit - s.at
	if n <= 0 {
		return nil
	}
	taken := s.text[:n:n]
	s.text, s.at = s.text[n:], limit
	return taken
}

// block is a secret that ends with words of its own: everything is a secret up to them,
// but not more than blockWindow bytes.
type block struct {
	left  int
	word  int // of blockEnd
	match int // how much of the word was read
}

// blockWindow is how long a private key in PEM may be: the largest RSA keys in use
// have 13 KiB.
const blockWindow = 64 << 10

// blockEnd are the words that end a private key in PEM, in order.
var blockEnd = [...]string{"-----END", "-----"}

// ends takes a byte of the block and reports whether it was the last.
func (k *block) ends(b byte) bool {
	word := blockEnd[k.word]
	switch {
	case word[k.match] == b:
		k.match++
	case b == '-' && k.match == len("-----"):
		// one more dash: the last five still count
	case b == '-':
		k.match = 1
	default:
		k.match = 0
	}
	if k.match == len(word) {
		k.word, k.match = k.word+1, 0
	}
	k.left--
	return k.word == len(blockEnd) || k.left <= 0
}
