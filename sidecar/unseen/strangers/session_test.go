package strangers

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Keys come in any pieces, and what the terminal answers is none.
func TestKeys(t *testing.T) {
	pressed := make(chan key)
	go read(&pieces{"ab\r", "\x1b[200~one\r", "two\x1b[201~\x15", "\x1b[12;3R", "c\x1b[B", "\x1b"}, pressed)
	var got []key
	for k := range pressed {
		got = append(got, k)
	}
	want := []key{{text: "ab"}, {name: "enter"}, {text: "one\ntwo"}, {name: "ctrl-u"}, {text: "c"}, {name: "down"}, {name: "esc"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

type pieces []string

func (p *pieces) Read(b []byte) (int, error) {
	if len(*p) == 0 {
		return 0, errEnd
	}
	n := copy(b, (*p)[0])
	*p = (*p)[1:]
	return n, nil
}

const errEnd = end("no more")

type end string

func (e end) Error() string { return string(e) }

// A stranger asks before it removes something, and what it says then is that option's.
func TestQuestion(t *testing.T) {
	now := time.Unix(0, 0)
	s := &session{now: func() time.Time { return now }, back: key{name: "up"}, forth: key{name: "down"}}
	s.press(key{text: "Remove a"})
	s.press(key{name: "enter"})
	now = now.Add(Work / 2)
	if s.turn(); s.phase != asking || s.question != "Remove a?" || len(s.options) != 3 {
		t.Fatalf("%+v", s)
	}
	s.press(key{text: "1"}) // its question takes no digits
	s.press(key{name: "up"})
	s.press(key{name: "enter"})
	if s.turn(); s.phase != working {
		t.Fatalf("%+v", s)
	}
	now = now.Add(Work)
	if s.turn(); s.phase != idle || s.said[1].text != "a is kept" {
		t.Errorf("%+v", s)
	}
}

// A frame fits the terminal, whatever was typed.
func TestFramesFit(t *testing.T) {
	const columns = 20
	s := &session{now: time.Now, input: strings.Repeat("word ", 20) + strings.Repeat("x", 50) + "\nend"}
	for _, text := range wrap(s.input, columns) {
		if len([]rune(text)) > columns {
			t.Errorf("%q", text)
		}
	}
	if frame := (tarn{}).frame(s, columns, 30); !strings.Contains(frame, "end") {
		t.Errorf("%q", frame)
	}
}
