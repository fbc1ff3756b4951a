package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// menu is a program that asks with a marker that moves, and the keys that move it.
type menu struct {
	*scene
	options  []string
	keys     map[string]int // by how many options a key moves the marker
	marked   int            // the option with the marker
	boxes    bool
	checked  map[int]bool
	modes    string
	answered string // the option at Enter
	seen     int    // how many actions were played
}

// newMenu returns a machine whose program asks, and whose caller was asked.
func newMenu(t *testing.T, boxes bool, keys map[string]int) *menu {
	t.Helper()
	return newMenuIn(t, boxes, keys, "")
}

func newMenuIn(t *testing.T, boxes bool, keys map[string]int, modes string) *menu {
	t.Helper()
	return newMenuOf(t, boxes, keys, modes, "red", "green", "blue")
}

func newMenuOf(t *testing.T, boxes bool, keys map[string]int, modes string, options ...string) *menu {
	t.Helper()
	s := newScene(t)
	s.m.profile = profile.Generic()
	s.m.agent = "generic"
	m := &menu{scene: s, options: options, keys: keys, boxes: boxes, checked: map[int]bool{}, modes: modes}
	m.draw()
	s.says(profile.Asking)
	s.m.begin(toAsk, round{})
	s.pass(2 * time.Second)

	return m
}

// draw shows the options, or what was answered.
func (m *menu) draw() {
	if m.answered != "" {
		m.styled("got " + m.answered)
		return
	}
	rows := []string{"? Which colour?"}
	for i, o := range m.options {
		mark, box := " ", ""
		if i == m.marked {
			mark = "❯"
		}
		if m.boxes {
			box = "◯ "
		}
		if m.checked[i] {
			box = "◉ "
		}
		rows = append(rows, fmt.Sprintf("%s %s%s", mark, box, o))
	}
	m.styled(append(rows, "", "↑↓ navigate • space select • ⏎ submit")...)
}

func (m *menu) styled(rows ...string) {
	terminal := term.New(term.Options{Cols: 60, Rows: 12})
	_, _ = terminal.Write([]byte(m.modes + "\x1b[?25l" + strings.Join(rows, "\r\n"))) // never fails
	generation := m.e.Screen.Generation
	m.e.Screen = terminal.Snapshot()
	m.e.Screen.Generation, m.e.Screen.Output = generation+1, m.e.now
	m.e.seen++
}

// plays takes the keys that were typed, and shows what they do, every 50 ms.
func (m *menu) plays(d time.Duration) {
	for range int(d / (50 * time.Millisecond)) {
		m.pass(50 * time.Millisecond)
		for ; m.seen < len(m.acts); m.seen++ {
			if key, ok := m.acts[m.seen].(typeKeys); ok {
				m.press(string(key))
			}
		}
	}
}

func (m *menu) press(key string) {
	switch {
	case key == "\r":
		m.answered = m.options[m.marked]
		m.says(profile.Working)
	case key == " " && m.boxes:
		m.checked[m.marked] = !m.checked[m.marked]
	default:
		m.marked = min(max(m.marked+m.keys[key], 0), len(m.options)-1)
	}
	m.draw()
}

func (m *menu) decides(id string) {
	m.e.answer = &answered{Answer: task.Answer{OptionID: id}}
	m.step()
}

// TestChooseByWhatMoves: the option is chosen by the key that is seen to move the marker, and
// Enter is typed once, on that option.
func TestChooseByWhatMoves(t *testing.T) {
	for about, c := range map[string]struct {
		boxes bool
		keys  map[string]int
		modes string
		id    string
		typed string
	}{
		"the marked one":        {keys: map[string]int{"\x1b[B": 1}, id: "1", typed: "\r"},
		"down":                  {keys: map[string]int{"\x1b[B": 1}, id: "3", typed: "\x1b[B\x1b[B\r"},
		"down, as it asked for": {keys: map[string]int{"\x1bOB": 1}, modes: "\x1b[?1h", id: "2", typed: "\x1bOB\r"},
		"tab":                   {keys: map[string]int{"\t": 1}, id: "3", typed: "\x1b[B\t\t\r"},
		"right":                 {keys: map[string]int{"\x1b[C": 1}, id: "2", typed: "\x1b[B\t\x1b[C\r"},
		"a letter":              {keys: map[string]int{"j": 1}, id: "2", typed: "\x1b[B\t\x1b[Cj\r"},
		"too far, and back":     {keys: map[string]int{"\x1b[B": 2, "\x1b[A": -1}, id: "2", typed: "\x1b[B\x1b[A\r"},
		"a check box":           {boxes: true, keys: map[string]int{"\x1b[B": 1}, id: "2", typed: "\x1b[B \r"},
	} {
		t.Run(about, func(t *testing.T) {
			m := newMenuIn(t, c.boxes, c.keys, c.modes)
			m.decides(c.id)
			m.plays(10 * time.Second)
			if m.typed() != c.typed || m.answered != m.options[c.id[0]-'1'] || !m.m.done || m.m.err != nil {
				t.Errorf("typed %q, answered %q, want %q; done %v, %v", m.typed(), m.answered, c.typed, m.m.done, m.m.err)
			}
		})
	}
}

// TestChooseOfTwoAlike: of two options with one label, Enter is typed on the one that was chosen.
func TestChooseOfTwoAlike(t *testing.T) {
	m := newMenuOf(t, false, map[string]int{"\x1b[B": 1}, "", "red", "green", "red")
	m.decides("3")
	m.plays(10 * time.Second)
	if m.marked != 2 || m.answered == "" || m.typed() != "\x1b[B\x1b[B\r" {
		t.Errorf("typed %q on option %d", m.typed(), m.marked+1)
	}
}

// TestNoKeyMovesTheMarker: Enter is never typed on another option than the wanted one. The
// caller is told, the question stays open, and the caller can still choose what is marked.
func TestNoKeyMovesTheMarker(t *testing.T) {
	m := newMenu(t, false, nil)
	m.decides("3")
	m.plays(10 * time.Second)
	m.at(asking)
	if m.presses("\r") != 0 || m.m.done {
		t.Fatalf("typed %q", m.typed())
	}
	told := 0
	for _, a := range m.acts {
		if q, ok := a.(putQuestion); ok && strings.Contains(q.Text, `"blue" could not be chosen`) {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the caller was told %d times", told)
	}
	m.decides("1")
	m.plays(10 * time.Second)
	if m.answered != "red" || !m.m.done {
		t.Errorf("answered %q; typed %q", m.answered, m.typed())
	}
}

// TestOptionsThatGo: no key is typed for options that are off the screen.
func TestOptionsThatGo(t *testing.T) {
	m := newMenu(t, false, nil)
	m.decides("3")
	m.pass(650 * time.Millisecond)
	m.answered = "red" // by a person
	m.draw()
	m.says(profile.Working)
	before := m.typed()
	m.pass(10 * time.Second)
	if m.typed() != before || !m.m.done || m.m.err != nil {
		t.Errorf("typed %q after %q, %v", m.typed(), before, m.m.err)
	}
}

// TestTypedOption: a program that reads lines gets the option with Enter; one that reads keys
// gets Enter only if it waits for more.
func TestTypedOption(t *testing.T) {
	for about, c := range map[string]struct {
		canonical bool
		shows     string // once it has the key
		typed     string
	}{
		"lines":                    {true, "Proceed? [y/n/t] t\r\ngot t", "t\r"},
		"a key":                    {false, "Proceed? [y/n/t] t\r\ngot t", "t"},
		"a key that waits":         {false, "Proceed? [y/n/t] t", "t\r"},
		"a key that is not echoed": {false, "Proceed? [y/n/t] ", "t\r"},
	} {
		t.Run(about, func(t *testing.T) {
			s := newScene(t)
			s.m.profile = profile.Generic()
			s.e.mode.Canonical = c.canonical
			s.shows("Proceed? [y/n/t] ")
			s.says(profile.Asking)
			s.m.begin(toAsk, round{})
			s.pass(2 * time.Second)
			s.at(asking)
			s.e.answer = &answered{Answer: task.Answer{OptionID: "t"}}
			s.step()
			if !strings.HasPrefix(s.typed(), "t") {
				t.Fatalf("typed %q", s.typed())
			}
			s.shows(c.shows)
			s.pass(2 * time.Second)
			if s.typed() != c.typed {
				t.Errorf("typed %q, want %q", s.typed(), c.typed)
			}
		})
	}
}

// TestChooseByFzfMarks: an option that fzf -m offers is checked with the key that does so there,
// which moves the marker on, and is chosen once the marker is back on it.
func TestChooseByFzfMarks(t *testing.T) {
	s := newScene(t)
	s.m.profile = profile.Generic()
	s.m.agent = "generic"
	options, marked, checked, chosen, seen := []string{"red", "green", "blue"}, 0, map[int]bool{}, "", 0
	draw := func() {
		if chosen != "" {
			s.shows("got " + chosen)
			return
		}
		rows := []string{"", fmt.Sprintf("  3/3 (%d)", len(checked))}
		for i, o := range options {
			pointer, mark := " ", " "
			if i == marked {
				pointer = ">"
			}
			if checked[i] {
				mark = ">"
			}
			row := pointer + mark + o
			if i == marked {
				row = "\x1b[48;5;236m" + row + "\x1b[m"
			}
			rows = append(rows, row)
		}
		terminal := term.New(term.Options{Cols: 60, Rows: 12})
		_, _ = terminal.Write([]byte("> " + strings.Join(rows, "\r\n") + "\x1b[1;3H")) // never fails
		generation := s.e.Screen.Generation
		s.e.Screen = terminal.Snapshot()
		s.e.Screen.Generation, s.e.Screen.Output = generation+1, s.e.now
		s.e.seen++
	}
	draw()
	s.says(profile.Asking)
	s.m.begin(toAsk, round{})
	s.pass(2 * time.Second)
	s.e.answer = &answered{Answer: task.Answer{OptionID: "2"}}
	s.step()
	for range 200 {
		s.pass(50 * time.Millisecond)
		for ; seen < len(s.acts); seen++ {
			key, _ := s.acts[seen].(typeKeys)
			switch string(key) {
			case "\x1b[B":
				marked = min(marked+1, 2)
			case "\x1b[A":
				marked = max(marked-1, 0)
			case "\t":
				checked[marked] = true
				marked = min(marked+1, 2)
			case "\r":
				chosen = options[marked]
				s.says(profile.Working)
			}
			draw()
		}
	}
	if s.typed() != "\x1b[B\t\x1b[A\r" || !checked[1] || len(checked) != 1 {
		t.Errorf("typed %q, checked %v", s.typed(), checked)
	}
}
