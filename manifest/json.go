package manifest

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// CheckJSON says what is wrong with the syntax of a JSON file that a person wrote, in
// the words of a manifest's faults. The error is Faults.
func CheckJSON(file string, data []byte) error {
	src := unsafe.String(unsafe.SliceData(data), len(data)) // kept by nobody
	s := scanner{src: src}
	switch {
	case !utf8.ValidString(src):
		return FaultsAt(file, data, Place{Offset: invalidAt(src)}, "a byte that is not UTF-8", "save the file as UTF-8")
	case strings.HasPrefix(src, byteOrderMark):
		s.pos = len(byteOrderMark)
	}
	s.document()
	if len(s.faults) == 0 {
		return nil
	}
	return locate(file, src, s.faults)
}

// Place is where something stands in a file: so many bytes from its beginning, at a
// JSON pointer.
type Place struct {
	Offset  int
	Pointer string
}

// FaultsAt is one fault at a place of a file.
func FaultsAt(file string, data []byte, at Place, message, hint string) Faults {
	src := unsafe.String(unsafe.SliceData(data), len(data)) // kept by nobody
	return locate(file, src, []fault{{off: at.Offset, pointer: at.Pointer, message: strings.Clone(message), hint: hint}})
}
