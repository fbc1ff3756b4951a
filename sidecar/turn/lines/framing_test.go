package lines

import (
	"bytes"
	"strings"
	"testing"
)

// read cuts output into lines that comes in chunks of a size.
func read(output string, size int) (whole, rest string, tooLong int) {
	var f framing
	var all bytes.Buffer
	for chunk := range slicesOf(output, size) {
		got, long := f.next([]byte(chunk))
		all.Write(got)
		if long {
			tooLong++
		}
	}
	return all.String(), string(f.rest()), tooLong
}

func slicesOf(s string, size int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(s) > 0 {
			n := min(size, len(s))
			if !yield(s[:n]) {
				return
			}
			s = s[n:]
		}
	}
}

func TestFramingLongLines(t *testing.T) {
	longest, long := strings.Repeat("a", maxLine), strings.Repeat("b", maxLine+1)
	for _, size := range []int{64 << 10, 3*maxLine + 100} {
		whole, rest, tooLong := read("one\n"+longest+"\n"+"two\nhalf", size)
		if whole != "one\n"+longest+"\ntwo\n" || rest != "half" || tooLong != 0 {
			t.Errorf("in chunks of %d: %d bytes, rest %q, %d too long", size, len(whole), rest, tooLong)
		}
		whole, rest, tooLong = read(long+"\ntwo\nhalf", size)
		if whole != "two\n" || rest != "half" || tooLong != 1 {
			t.Errorf("in chunks of %d: %q, rest %q, %d too long", size, whole, rest, tooLong)
		}
	}
}

// FuzzFraming: it does not matter how output is cut, and none of it is lost.
func FuzzFraming(f *testing.F) {
	f.Add("one\ntwo\n\nhalf", 2)
	f.Add("\n\n", 1)
	f.Fuzz(func(t *testing.T, output string, size int) {
		whole, rest, tooLong := read(output, max(size, 1))
		if whole+rest != output || tooLong != 0 || strings.Contains(rest, "\n") || whole != "" && !strings.HasSuffix(whole, "\n") {
			t.Errorf("%q and %q of %q, in chunks of %d, %d too long", whole, rest, output, size, tooLong)
		}
	})
}
