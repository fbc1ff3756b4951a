package tty

import "testing"

func TestKeysThatStopAProgram(t *testing.T) {
	for _, c := range []struct {
		keys, kept string
		others     int
	}{
		{"3", "", 1},
		{"äb\r", "", 3},
		{"\x03", "\x03", 0},
		{"\x1b", "\x1b", 0},
		{"3\x1b", "\x1b", 1},
		{"\x1b\x1b", "\x1b\x1b", 0},
		{"\x1b[A\x1bOB\x1b[1;5C", "", 3},
		{"\x1b[27u\x1b[99;5u\x1b[97u", "\x1b[27u\x1b[99;5u", 1},
		{"\x1b[<0;3;4M1\x1b[I\x1b[?1;2c", "\x1b[<0;3;4M\x1b[I\x1b[?1;2c", 1},
		{"\x1b]11;rgb:0/0/0\x1b\\1\x1b]11;rgb:0/0/0\x07", "\x1b]11;rgb:0/0/0\x1b\\\x1b]11;rgb:0/0/0\x07", 1},
		{"\x1b[200~a paste\x1b[201~", "", 1},
		{"\x1b[", "\x1b[", 0},
	} {
		kept, others := keyboard{}.stops([]byte(c.keys))
		if string(kept) != c.kept || others != c.others {
			t.Errorf("%q: kept %q and %d others, want %q and %d", c.keys, kept, others, c.kept, c.others)
		}
	}
}
