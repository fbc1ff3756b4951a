package jsontree

import (
	"strings"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Parse reads one value and refuses anything after it. The root has no kind if the
// document could not be read to its end; some faults, such as a key that occurs twice,
// leave a root that can be used. maxValues bounds how many values are read; 0 sets no
// limit. The faults are not located yet.
func Parse(src string, maxValues int) (Node, Faults) {
	s := scanner{src: src, most: maxValues}
	return s.document(), s.faults
}

// ParseArray reads a document that is an array and calls element for each element as
// soon as it is read, so that the tree of a large document is never in memory as a
// whole. Reading ends early if element returns false. If the document is no array, its
// root is returned and what follows it is not read; the root of an array has no
// children. A byte order mark is skipped, and a byte that is not UTF-8 is a fault. The
// faults are not located yet.
func ParseArray(src string, element func(i int, n Node) bool) (root Node, faults Faults) {
	s := scanner{src: src}
	s.run(func() {
		s.begin()
		if s.peek() != '[' {
			root = s.value()
			return
		}
		root = Node{Kind: Array, Offset: s.pos}
		s.depth++
		s.elements(func(i int) {
			if !element(i, s.value()) {
				panic(halt{})
			}
		})
		root.End = s.pos
		s.finish()
	})
	return root, s.faults
}

// ParseFile reads a file that a person wrote: a byte order mark is skipped, and a byte
// that is not UTF-8 is a fault. file is used only in faults, which are located. The
// tree shares memory with data, which must not change as long as the tree is used.
func ParseFile(file string, data []byte) (Node, Faults) {
	s := scanner{src: text.Shared(data)}
	var root Node
	if s.run(s.begin) {
		root = s.document()
	}
	return root, Locate(file, s.src, s.faults)
}

// invalidAt returns the offset of the first byte that is not UTF-8, or the length of s
// if there is none.
func invalidAt(s string) int {
	if utf8.ValidString(s) {
		return len(s)
	}
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return len(s)
}

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\ufeff"

// begin skips a byte order mark and stops at a byte that is not UTF-8.
func (s *scanner) begin() {
	if at := invalidAt(s.src); at < len(s.src) {
		s.fail(at, "a byte that is not UTF-8", "save the file as UTF-8")
	}
	if strings.HasPrefix(s.src, byteOrderMark) {
		s.pos = len(byteOrderMark)
	}
}
