package term_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// screen returns a screen to which the parts were written, one after the other.
func screen(cols, rows int, parts ...string) *term.Screen {
	s := term.New(term.Options{Cols: cols, Rows: rows})
	write(s, parts...)
	return s
}

func write(s *term.Screen, parts ...string) {
	for _, p := range parts {
		if n, err := s.Write([]byte(p)); n != len(p) || err != nil {
			panic("Write never fails")
		}
	}
}

// TestSequences: what is written to a screen of 10x5, its rows with | between,
// and where the cursor is then (row,col from 0).
func TestSequences(t *testing.T) {
	for _, test := range []struct {
		name, in, want string
		row, col       int
	}{
		{"text", "hello", "hello", 0, 5},
		{"wrap is pending", "0123456789", "0123456789", 0, 9},
		{"wraps", "0123456789a", "0123456789|a", 1, 1},
		{"carriage return ends the pending wrap", "0123456789\rx", "x123456789", 0, 1},
		{"line feed ends the pending wrap", "0123456789\nx", "0123456789|         x", 1, 9},
		{"backspace from the pending wrap", "0123456789\bx", "01234567x9", 0, 9},
		{"no autowrap", "\x1b[?7l0123456789abc", "012345678c", 0, 9},
		{"no autowrap, wide", "\x1b[?7l012345678世", "012345678", 0, 9},
		{"wide wraps whole", "012345678世", "012345678|世", 1, 2},
		{"half of a wide character is overwritten", "世界\x1b[2Gx", " x界", 0, 2},
		{"the other half", "世界\x1b[1Gx", "x 界", 0, 1},
		{"a combining mark", "e\u0301x", "e\u0301x", 0, 2},
		{"a mark on the last column", "012345678e\u0301", "012345678e\u0301", 0, 9},
		{"a mark after a wide character", "世\ufe0f!", "世\ufe0f!", 0, 3},
		{"a mark on nothing is lost", "\u0301x", "x", 0, 1},
		{"scrolls", "1\r\n2\r\n3\r\n4\r\n5\r\n6", "2|3|4|5|6", 4, 1},
		{"scroll region", "1\r\n2\r\n3\r\n4\r\n5\x1b[2;4r\x1b[4;1H\n", "1|3|4||5", 3, 0},
		{"below the region nothing scrolls", "1\r\n2\r\n3\r\n4\r\n5\x1b[2;4r\x1b[5;1H\n\n", "1|2|3|4|5", 4, 0},
		{"reverse index", "1\r\n2\x1b[H\x1bM", "|1|2", 0, 0},
		{"reverse index in the region", "1\r\n2\r\n3\x1b[2;3r\x1b[2;1H\x1bM", "1||2", 1, 0},
		{"next line", "a\x1bEb", "a|b", 1, 1},
		{"index", "a\x1bDb", "a| b", 1, 2},
		{"origin mode", "\x1b[2;4r\x1b[?6h\x1b[1;1Hx\x1b[9;1Hy", "|x||y", 3, 1},
		{"bad margins are ignored", "\x1b[4;2r\x1b[5;1Hx\n", "|||x", 4, 1},
		{"insert characters", "abcdef\x1b[3G\x1b[2@", "ab  cdef", 0, 2},
		{"insert pushes a wide one off", "abcdefgh世\x1b[1G\x1b[@", " abcdefgh", 0, 0},
		{"delete characters", "abcdef\x1b[3G\x1b[2P", "abef", 0, 2},
		{"delete half of a wide one", "a世b\x1b[3G\x1b[P", "a b", 0, 2},
		{"erase characters", "abcdef\x1b[3G\x1b[2X", "ab  ef", 0, 2},
		{"insert mode", "abc\x1b[1G\x1b[4hx\x1b[4ly", "xybc", 0, 2},
		{"insert mode, wide", "abc\x1b[1G\x1b[4h世", "世abc", 0, 2},
		{"insert lines", "1\r\n2\r\n3\x1b[2;2H\x1b[L", "1||2|3", 1, 0},
		{"insert lines in the region", "1\r\n2\r\n3\r\n4\x1b[1;3r\x1b[2;1H\x1b[9L", "1|||4", 1, 0},
		{"delete lines", "1\r\n2\r\n3\x1b[2;1H\x1b[M", "1|3", 1, 0},
		{"lines outside of the region stay", "1\r\n2\r\n3\x1b[1;2r\x1b[3;1H\x1b[M\x1b[L", "1|2|3", 2, 0},
		{"scroll up and down", "1\r\n2\r\n3\x1b[2S\x1b[T", "|3", 2, 1},
		{"erase to the end of the line", "abcdef\x1b[3G\x1b[K", "ab", 0, 2},
		{"erase to its begin", "abcdef\x1b[3G\x1b[1K", "   def", 0, 2},
		{"erase the line", "abcdef\x1b[3G\x1b[2K", "", 0, 2},
		{"with a wrap pending nothing is to the right", "0123456789\x1b[K", "0123456789", 0, 9},
		{"erase below", "1\r\n2\r\n3\x1b[2;1H\x1b[J", "1", 1, 0},
		{"erase above", "1\r\n22\r\n3\x1b[2;1H\x1b[1J", "| 2|3", 1, 0},
		{"erase all", "1\r\n2\x1b[2J", "", 1, 1},
		{"tabs", "\tx\x1b[H\x1b[3g\x1b[5G\x1bH\r\ty", "    y   x", 0, 5},
		{"tabs end at the last column", "\t\t\t\tx", "         x", 0, 9},
		{"back tab", "\t\x1b[Zx", "x", 0, 1},
		{"forward tab", "\x1b[Ix", "        x", 0, 9},
		{"cursor stops at the region", "\x1b[2;4r\x1b[3;1H\x1b[9Ax\x1b[9By", "|x|| y", 3, 2},
		{"relative row goes over the margin", "\x1b[1;2r\x1b[3ex", "|||x", 3, 1},
		{"alternate off without on brings the saved cursor back", "ab\x1b[?1049h\x1b[?1049lcd\x1b[?1049lx", "abxd", 0, 3},
		{"alternate off without any saved", "ab\x1b[?1049lx", "abx", 0, 3},
		{"a tab leaves the pending wrap", "0123456789\tx", "0123456789|x", 1, 1},
		{"a wide one that does not fit clears the last column", "0123456789\x1b[1;10H世", "012345678|世", 1, 2},
		{"repeat a wide one", "世\x1b[2b", "世世世", 0, 6},
		{"a control ends what can be repeated", "a\x00\x1b[3bb\r\x1b[3b", "ab", 0, 0},
		{"restored into the margins", "\x1b[?6h\x1b7\x1b[3;4r\x1b8x", "||x", 2, 1},
		{"two intermediate bytes", "ab\x1b[4h\x1b[ !p\x1b[1Gx", "xab", 0, 1},
		{"numbers do not overflow", "\x1b[4294967297Cx", "         x", 0, 9},
		{"cursor by columns", "\x1b[5C\x1b[2Dx\x1b[99C\x1b[99Dy", "y  x", 0, 1},
		{"cursor by lines", "ab\x1b[2Ex\x1b[1Fy", "ab|y|x", 1, 1},
		{"column and row", "\x1b[4`x\x1b[3dy", "   x||    y", 2, 5},
		{"save and restore", "ab\x1b7\x1b[3;3Hx\x1b8c", "abc||  x", 0, 3},
		{"save and restore by CSI", "ab\x1b[s\x1b[3;3Hx\x1b[uc", "abc||  x", 0, 3},
		{"kitty keyboard is no restore", "ab\x1b[s\x1b[3;3H\x1b[<u\x1b[>1u\x1b[=1;1ux", "ab||  x", 2, 3},
		{"restore keeps a pending wrap", "0123456789\x1b7\x1b[H\x1b8x", "0123456789|x", 1, 1},
		{"restore without save", "ab\x1b8x", "xb", 0, 1},
		{"repeat", "ab\x1b[3b", "abbbb", 0, 5},
		{"repeat needs a rune", "a\x1b[m\x1b[3b", "a", 0, 1},
		{"line drawing", "\x1b(0lqk\x1b(Blqk", "┌─┐lqk", 0, 6},
		{"line drawing in G1", "\x1b)0q\x0eq\x0fq", "q─q", 0, 3},
		{"reset", "ab\x1b[4h\x1b[31m\x1b[2;4r\x1bcx", "x", 0, 1},
		{"soft reset", "ab\x1b[4h\x1b[2;4r\x1b[?6h\x1b[!p\x1b[Hx", "xb", 0, 1},
		{"alignment", "\x1b#8\x1b[2J\x1b[Hx", "x", 0, 1},
		{"new line mode", "ab\x1b[20h\nc", "ab|c", 1, 1},
		{"alternate", "ab\x1b[?1049hxy\x1b[?1049lc", "abc", 0, 3},
		{"alternate 47 keeps the cursor's place", "ab\x1b[?47hxy\x1b[?47lc", "ab  c", 0, 5},
		{"alternate is empty each time", "\x1b[?1049hxy\x1b[?1049l\x1b[?1049h", "", 0, 0},
		{"cut off by CAN", "\x1b[3\x18x", "x", 0, 1},
		{"cut off by ESC", "\x1b[3\x1b[2Cx", "  x", 0, 3},
		{"controls within a sequence", "a\x1b[\r2Cx", "a x", 0, 3},
		{"bad sequences are swallowed", "\x1b[3<4mx\x1b[ 3my\x1b[1$$pz", "xyz", 0, 3},
		{"strings are not shown", "a\x1bPqdata\x1b\\b\x1b_apc\x1b\\c\x1b^pm\x1b\\d\x1bXsos\x1b\\e", "abcde", 0, 5},
		{"an empty DCS", "a\x1bP\x1b\\b", "ab", 0, 2},
		{"bytes that are no UTF-8", "a\xffb\xc3(c\xe2\x82", "a\ufffdb\ufffd(c", 0, 6},
		{"C1 are no controls", "a\xc2\x9b31mb", "a31mb", 0, 5},
		{"9C ends no title", "\x1b]0;✳ x\x07y", "y", 0, 1},
		{"mouse T scrolls nothing", "a\x1b[1;2;3;4;5T", "a", 0, 1},
		{"XTMODKEYS is no SGR", "\x1b[>4;2mx", "x", 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			// However the bytes are cut, the result is the same.
			var single []string
			for i := range len(test.in) {
				single = append(single, test.in[i:i+1])
			}
			for _, parts := range [][]string{{test.in}, single} {
				snap := screen(10, 5, parts...).Snapshot()
				if got := strings.ReplaceAll(snap.Text(), "\n", "|"); got != test.want {
					t.Errorf("%q shows %q, not %q", test.in, got, test.want)
				}
				if snap.CursorRow != test.row || snap.CursorCol != test.col {
					t.Errorf("%q: the cursor is at %d,%d, not at %d,%d", test.in, snap.CursorRow, snap.CursorCol, test.row, test.col)
				}
			}
		})
	}
}

func TestStyles(t *testing.T) {
	in := "a\x1b[1;31mb\x1b[0;4:3;48;5;200mc\x1b[4:0;38:2::1:2:3md\x1b[38;2;4;5;6;7me\x1b[49;39;22;27mf\x1b[58;5;1;9mg\x1b[mh"
	want := []term.Run{
		{Text: "a"},
		{Text: "b", Style: term.Style{Bold: true, Fg: 1<<24 | 1}},
		{Text: "c", Style: term.Style{Underline: true, Bg: 1<<24 | 200}},
		{Text: "d", Style: term.Style{Bg: 1<<24 | 200, Fg: 2<<24 | 0x010203}},
		{Text: "e", Style: term.Style{Bg: 1<<24 | 200, Fg: 2<<24 | 0x040506, Reverse: true}},
		{Text: "f"},
		{Text: "g", Style: term.Style{Strike: true}},
		{Text: "h"},
	}
	s := screen(20, 2, in)
	if diff := cmp.Diff(want, s.StyledSnapshot().Lines[0].Runs); diff != "" {
		t.Error(diff)
	}
	if s.Snapshot().Lines[0].Runs != nil {
		t.Error("a plain snapshot has runs")
	}
	// Erased cells take the background.
	runs := screen(6, 2, "\x1b[42mab\x1b[K").StyledSnapshot().Lines[0].Runs
	if diff := cmp.Diff([]term.Run{{Text: "ab    ", Style: term.Style{Bg: 1<<24 | 2}}}, runs); diff != "" {
		t.Error(diff)
	}
}

func TestModes(t *testing.T) {
	s := screen(20, 5, "\x1b[?2004;1004;1h\x1b[?1002h\x1b[?1006h\x1b[?25l\x1b=\x1b[4 q\x1b[>5u")
	want := term.Modes{BracketedPaste: true, FocusEvents: true, AppCursor: true, Mouse: 1002, MouseSGR: true, AppKeypad: true,
		CursorStyle: 4, KittyKeyboard: 5, Autowrap: true}
	snap := s.Snapshot()
	if diff := cmp.Diff(want, snap.Modes); diff != "" || snap.CursorShown {
		t.Error(diff, snap.CursorShown)
	}
	write(s, "\x1b[?2004;1004;1l\x1b[?1002l\x1b[?1006l\x1b[?25h\x1b>\x1b[0 q\x1b[<u")
	if diff := cmp.Diff(term.Modes{Autowrap: true}, s.Snapshot().Modes); diff != "" || !s.Snapshot().CursorShown {
		t.Error(diff)
	}
	// Each screen has its own keyboard flags, and a stack that forgets the oldest.
	write(s, "\x1b[>1u\x1b[?1049h\x1b[>2u")
	if got := s.Snapshot().Modes.KittyKeyboard; got != 2 {
		t.Error(got)
	}
	write(s, "\x1b[?1049l", strings.Repeat("\x1b[>3u", 100), "\x1b[<99u")
	if got := s.Snapshot().Modes.KittyKeyboard; got != 0 {
		t.Error(got)
	}
}

// unwrap is what Wrapped is for: the text of rows, those that go on joined to one
// line, without empty lines at the end.
func unwrap(lines []term.Line) string {
	n := len(lines)
	for n > 0 && lines[n-1].Text == "" {
		n--
	}
	var b strings.Builder
	for i, l := range lines[:n] {
		b.WriteString(l.Text)
		if !l.Wrapped && i < n-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestUnwrap(t *testing.T) {
	for in, want := range map[string]string{
		"0123456789abc":                         "0123456789abc",
		"012345678 abc":                         "012345678 abc", // the blank at the end was written
		"0123456789\r\nabc":                     "0123456789\nabc",
		"012345678世x":                           "012345678世x", // the column that was left free is not text
		"0123456789abc\x1b[H\x1b[Kx\r\ny\x1b[K": "x\ny",        // what was erased does not go on
		"0123456789abc\x1b[H9876543210\r\n":     "9876543210\nabc",
		"0123456789abc\x1b[2;1H\x1b[Lx":         "0123456789\nx\nabc",
		"a\r\n\r\nb\r\n\r\n":                    "a\n\nb",
		"":                                      "",
	} {
		if got := unwrap(screen(10, 5, in).Snapshot().Lines); got != want {
			t.Errorf("%q unwrapped is %q, not %q", in, got, want)
		}
	}
}

// TestPending: whoever begins with a picture, and goes on with what is pending, has
// all of it.
func TestPending(t *testing.T) {
	for _, c := range []struct {
		out  string
		want int
	}{
		{"", 0}, {"text", 0}, {"text\x1b", 1}, {"a\x1b[", 2}, {"a\x1b[38;5", 6}, {"a\x1b[38;5m", 0}, {"\x1b[?2004h$ ", 0},
		{"\x1b(", 2}, {"\x1b(B", 0}, {"\x1b7", 0}, {"\x1b]0;ti", 6}, {"\x1b]0;ti\x07", 0}, {"\x1b]0;ti\x1b", 1}, {"\x1b]0;ti\x1b\\", 0},
		{"\x1bPq123", 6}, {"\x1b[12\x18", 0}, {"caf\xc3", 1}, {"café", 0}, {"\xe2\x9d", 2}, {"\xe2\x9d\xaf", 0}, {"\xf0\x9f\x98", 3}, {"\x80", 0},
		{"\xc3x", 0}, {"\xc3\xc3", 1}, {"\xc3\x1b", 1}, {"\x1b[1\xc3", 1}, {"\x1b]0;" + strings.Repeat("x", 100_000), 64 << 10},
	} {
		for _, split := range []int{len(c.out), 1} {
			s := screen(20, 3)
			for out := c.out; out != ""; {
				n := min(split, len(out))
				write(s, out[:n])
				out = out[n:]
			}
			if got := s.Pending(); got != c.want {
				t.Errorf("%.20q: %d, want %d", c.out, got, c.want)
			}
		}
	}
}
