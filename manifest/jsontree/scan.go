package jsontree

import (
	"strconv"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Limits of what is read. Files that people write are far below them; they keep the
// cost of a mistake or an attack at one message.
const (
	maxDepth    = 256
	maxDigits   = 1024 // in a number's literal
	scanFaults  = 1000 // faults that do not end the scan themselves
	maxExponent = 1024 // beyond it exact arithmetic becomes expensive
)

// scanner reads JSON with positions. It continues after faults that leave no doubt
// about what was meant and stops at the others.
type scanner struct {
	src    string
	pos    int
	depth  int
	values int // values read so far
	most   int // the largest number of values to read; 0 sets no limit
	path   []step
	faults Faults
}

// step is one token of the pointer to what is being read.
type step struct {
	key   string
	index int
	named bool
}

// halt is the panic value that unwinds the scanner; it never leaves the package.
type halt struct{}

// pointer returns the JSON pointer of the place that is being read.
func (s *scanner) pointer() string {
	var p string
	for _, st := range s.path {
		if st.named {
			p = Child(p, st.key)
		} else {
			p = Item(p, st.index)
		}
	}
	return p
}

func (s *scanner) report(off int, message, hint string) {
	if len(s.faults) == scanFaults {
		s.faults = append(s.faults, Fault{Offset: off, Message: "too many faults", Hint: "the rest was not read"})
		panic(halt{})
	}
	s.faults = append(s.faults, Fault{Offset: off, Pointer: s.pointer(), Message: message, Hint: hint})
}

// fail reports a fault and stops the scan.
func (s *scanner) fail(off int, message, hint string) {
	s.report(off, message, hint)
	panic(halt{})
}

// run calls f and reports whether f came to its end.
func (s *scanner) run(f func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, mine := r.(halt); !mine {
				panic(r)
			}
		}
	}()
	f()
	return true
}

// document reads one value and refuses anything after it. The value has no kind if the
// scan stopped before its end.
func (s *scanner) document() (root Node) {
	read := s.run(func() {
		root = s.value()
		s.finish()
	})
	if !read {
		return Node{}
	}
	return root
}

// finish refuses any text after the document.
func (s *scanner) finish() {
	if s.space(); s.pos < len(s.src) {
		s.fail(s.pos, "something follows the end of the document", "remove everything after it")
	}
}

func (s *scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the next byte that is not white space, 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.pos >= len(s.src) {
		return 0
	}
	return s.src[s.pos]
}

func (s *scanner) value() Node {
	c := s.peek()
	if s.values++; s.values > s.most && s.most > 0 {
		s.fail(s.pos, "too complex: more than "+strconv.Itoa(s.most)+" values", "")
	}
	n := Node{Offset: s.pos}
	switch {
	case c == '{':
		n.Kind = Object
		s.deeper()
		s.object(&n)
		s.depth--
	case c == '[':
		n.Kind = Array
		s.deeper()
		s.elements(func(int) { n.Children = append(n.Children, s.value()) })
		s.depth--
	case c == '"':
		n.Kind, n.Text = String, s.text()
	case c == '-' || c >= '0' && c <= '9':
		n.Kind, n.Text = Number, s.number()
	default:
		n.Kind, n.Text = s.literal()
	}
	n.End = s.pos
	return n
}

func (s *scanner) deeper() {
	if s.depth++; s.depth > maxDepth {
		s.fail(s.pos, "nested deeper than "+strconv.Itoa(maxDepth)+" levels", "")
	}
}

// elements reads an array and calls read at the start of each element.
func (s *scanner) elements(read func(i int)) {
	s.pos++
	for i := 0; s.more(i, ']'); i++ {
		s.path = append(s.path, step{index: i})
		read(i)
		s.path = s.path[:len(s.path)-1]
	}
}

func (s *scanner) object(n *Node) {
	s.pos++
	var seen map[string]int
	for i := 0; s.more(i, '}'); i++ {
		keyOff := s.pos
		key := s.key()
		s.path = append(s.path, step{key: key, named: true})
		if first := duplicate(n, key, &seen); first >= 0 {
			s.report(keyOff, "the key "+quoted(key)+" is here twice", "keep one of them")
		}
		if s.peek() != ':' {
			s.unexpected("a colon after the key")
		}
		s.pos++
		v := s.value()
		v.Key, v.KeyOffset = key, keyOff
		s.path = s.path[:len(s.path)-1]
		n.Children = append(n.Children, v)
		if seen != nil {
			seen[key] = i
		}
	}
}

// duplicate returns the index of an earlier member with the same key, -1 if there is
// none. It searches the list while that is short, and a map after that.
func duplicate(n *Node, key string, seen *map[string]int) int {
	if *seen == nil && len(n.Children) >= 16 {
		*seen = make(map[string]int, 32)
		for i := range n.Children {
			(*seen)[n.Children[i].Key] = i
		}
	}
	if *seen != nil {
		if i, ok := (*seen)[key]; ok {
			return i
		}
		return -1
	}
	for i := range n.Children {
		if n.Children[i].Key == key {
			return i
		}
	}
	return -1
}

// more skips what stands between two elements and reports whether another element
// follows. An extra or missing comma is reported and skipped.
func (s *scanner) more(i int, end byte) bool {
	c := s.peek()
	if c == end {
		s.pos++
		return false
	}
	if i == 0 {
		return s.element(c, end)
	}
	if c != ',' {
		if c == '"' || end == ']' && (c == '{' || c == '[') {
			s.report(s.pos, "there is no comma before this", "put one in")
			return true
		}
		s.unexpected("a comma or " + string(end))
	}
	comma := s.pos
	s.pos++
	if c = s.peek(); c == end {
		s.report(comma, "a comma before the closing "+string(end), "remove the comma")
		s.pos++
		return false
	}
	return s.element(c, end)
}

// element stops at a character that cannot begin an element, and otherwise reports
// true.
func (s *scanner) element(c, end byte) bool {
	if end == '}' && c != '"' {
		s.unexpected("a key in double quotes")
	}
	return true
}

func (s *scanner) key() string {
	if s.peek() != '"' {
		s.unexpected("a key in double quotes")
	}
	return s.text()
}

// unexpected stops at text that stands in the place of something else.
func (s *scanner) unexpected(want string) {
	if s.peek() == 0 && s.pos >= len(s.src) {
		s.fail(s.pos, "the document ends too early: expected "+want, "it may be half written, or a bracket is not closed")
	}
	r, _ := utf8.DecodeRuneInString(s.src[s.pos:])
	hint := ""
	switch r {
	case '/', '#':
		hint = "JSON has no comments"
	case '\'', '“', '”', '`':
		hint = `JSON strings stand in plain double quotes: "`
	case '=':
		hint = "JSON has a colon between key and value"
	}
	s.fail(s.pos, "expected "+want+", found "+quoted(string(r)), hint)
}

// quoted returns foreign text for a message, in quotes and cut short.
func quoted(s string) string { return text.Quote(s, 80) }
