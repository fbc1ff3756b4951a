package strangers

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"
)

// Work is how long each message takes; from half of it on, the answer is being written.
const Work = 1200 * time.Millisecond

// beat is the time between two frames of a spinner.
const beat = 100 * time.Millisecond

// Names are the agents that Main plays.
func Names() []string { return []string{"umbra", "tarn", "quill", "ember"} }

// Main plays the agent that this binary is called, and then ends the process; under any
// other name it does nothing. A TestMain calls it first: a link to the test binary is
// then an agent.
func Main() {
	name := filepath.Base(os.Args[0])
	if !slices.Contains(Names(), name) {
		return
	}
	if err := play(name, os.Stdin, os.Stdout); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(0)
}

// face is how an agent draws itself.
type face interface {
	// enter is written before the first frame, leave after the last.
	enter() string
	leave() string
	// frame draws the session in a terminal of that size.
	frame(s *session, columns, rows int) string
	// keys that move the selection of a question back and forth, and whether a digit chooses.
	keys() (back, forth key, digits bool)
}

func play(name string, in, out *os.File) error {
	saved, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return err
	}
	defer func() { _ = term.Restore(int(in.Fd()), saved) }()
	f := map[string]face{"umbra": &umbra{}, "tarn": tarn{}, "ember": ember{}, "quill": &quill{}}[name]
	pressed := make(chan key)
	go read(in, pressed)
	s := &session{now: time.Now}
	s.back, s.forth, s.digits = f.keys()
	draw := func() error {
		columns, rows, err := term.GetSize(int(out.Fd()))
		if err == nil {
			_, err = io.WriteString(out, f.frame(s, columns, rows))
		}
		return err
	}
	if _, err := io.WriteString(out, f.enter()); err != nil {
		return err
	}
	defer func() { _, _ = io.WriteString(out, f.leave()) }()
	for tick := time.NewTicker(beat); ; {
		if err := draw(); err != nil {
			return err
		}
		var turning <-chan time.Time // but for ember, nothing moves while nothing happens
		if s.phase == working || name == "ember" {
			turning = tick.C
		}
		select {
		case k, more := <-pressed:
			if !more || s.press(k) {
				return nil
			}
		case <-turning:
			if s.phase == working {
				s.turn()
			}
		}
	}
}

// reply is what an agent says to a message; with options it asks first, and says what
// belongs to the chosen one.
func reply(message string) (question string, options, says []string) {
	switch {
	case strings.HasPrefix(message, "Remove "):
		what := strings.TrimPrefix(message, "Remove ")
		return "Remove " + what + "?", []string{"Yes", "Yes, and do not ask again", "No"},
			[]string{what + " is gone", what + " is gone for good", what + " is kept"}
	case message == "Count to three":
		return "", nil, []string{"one\ntwo\nthree"}
	}
	return "", nil, []string{"ECHO: " + message}
}
