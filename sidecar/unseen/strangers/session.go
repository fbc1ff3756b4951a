package strangers

import (
	"slices"
	"time"
	"unicode/utf8"
)

// phase is what an agent does.
type phase int

const (
	idle phase = iota
	working
	asking
)

// entry is what was said, by the person or by the agent.
type entry struct {
	person bool
	text   string
}

// session is what an agent knows, however it is drawn.
type session struct {
	now         func() time.Time
	back, forth key
	digits      bool

	said  []entry
	input string
	phase phase
	began time.Time // of the work
	turns int

	question string
	options  []string
	says     []string // what it says, for each option
	chosen   int
}

// press is a key; it reports whether the agent ends.
func (s *session) press(k key) (end bool) {
	switch {
	case k.name == "ctrl-c" && s.phase != idle, k.name == "esc" && s.phase != idle:
		s.say("Stopped.")
	case k.name == "ctrl-c" && s.input != "", k.name == "ctrl-u", k.name == "esc":
		s.input = ""
	case k.name == "ctrl-c", k.name == "ctrl-d" && s.input == "":
		return true
	case s.phase == asking:
		s.choose(k)
	case k.name == "enter" && s.phase == idle && s.input != "":
		s.begin()
	case k.name == "backspace":
		_, size := utf8.DecodeLastRuneInString(s.input)
		s.input = s.input[:len(s.input)-size]
	default:
		s.input += k.text
	}
	return false
}

func (s *session) begin() {
	message := s.input
	s.said, s.input = append(s.said, entry{person: true, text: message}), ""
	s.question, s.options, s.says = reply(message)
	s.phase, s.began, s.chosen = working, s.now(), 0
}

func (s *session) choose(k key) {
	switch n := len(s.options); {
	case k == s.forth:
		s.chosen = (s.chosen + 1) % n
	case k == s.back:
		s.chosen = (s.chosen + n - 1) % n
	case k.name == "enter":
		s.take(s.chosen)
	case s.digits:
		if at := slices.Index([]string{"1", "2", "3"}, k.text); at >= 0 {
			s.take(at)
		}
	}
}

// take goes on with an option.
func (s *session) take(option int) {
	s.says, s.options = s.says[option:option+1], nil
	s.phase, s.began = working, s.now()
}

// turn lets the work go on.
func (s *session) turn() {
	switch {
	case len(s.options) > 0 && s.worked() >= Work/2:
		s.phase = asking
	case s.worked() >= Work:
		s.say(s.says[0])
	}
}

func (s *session) worked() time.Duration { return s.now().Sub(s.began) }

func (s *session) say(text string) {
	s.said = append(s.said, entry{text: text})
	s.phase, s.options, s.turns = idle, nil, s.turns+1
}

// partial is as much of the answer as has been written while it works.
func (s *session) partial() string {
	half := Work / 2
	if s.phase != working || len(s.options) > 0 || s.worked() < half {
		return ""
	}
	text := []rune(s.says[0])
	return string(text[:min(len(text), int(s.worked()-half)*len(text)/int(half))])
}
