package text

import "unsafe"

// Shared returns b as a string without copying it. b must not be changed any more, for as long
// as the string or a part of it is used.
func Shared(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
