package agents_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// parcel is one of the mixed messages and what became of it.
type parcel struct {
	n     int
	how   string // answered, or when it was canceled; person for one that a person has typed
	text  string
	at    time.Time
	got   int  // times by the model
	blank bool // with other blanks, or composed characters: as was
	was   string
	turn  *turn
}

func (p *parcel) String() string {
	return fmt.Sprintf("message %d (%s, %d characters, %.40q … %.20q)", p.n, p.how, len([]rune(p.text)), p.text, string([]rune(p.text)[max(0, len([]rune(p.text))-16):]))
}

// tally counts what went wrong, and what did not.
type tally struct {
	answered, canceled, tooLate, refused, inexact, person int
	lost, doubled, mixed, wrong, stuck, failed            int
	stages                                                map[string]int
	reasons                                               []string
}

// fault counts a fault and says what it is.
func (m *mixing) fault(t *testing.T, count *int, p *parcel, what string, args ...any) {
	t.Helper()
	*count++
	t.Logf("FAULT after %v: %s: %s", time.Since(m.began).Round(10*time.Millisecond), p, fmt.Sprintf(what, args...))
	m.shown++
	if m.shown <= 20 {
		t.Logf("the screen is:\n%s", m.r.screen())
	}
}

// delivered looks at what the model has got since it was last looked at.
func (m *mixing) delivered(t *testing.T) {
	t.Helper()
	m.r.model.mu.Lock()
	fresh := slices.Clone(m.r.model.seen[m.looked:])
	m.looked = len(m.r.model.seen)
	m.r.model.mu.Unlock()
	for _, req := range fresh {
		if req.result || len(req.tools) == 0 || req.text == "" {
			continue
		}
		m.assign(t, req.text)
	}
}

// assign finds the message that the model got.
func (m *mixing) assign(t *testing.T, text string) {
	t.Helper()
	var pieces []*parcel
	for _, p := range slices.Backward(m.all) {
		whole, blank := text == strings.TrimSpace(p.text), untabbed(text) == untabbed(p.text)
		switch {
		case whole || blank:
			p.got++
			p.blank, p.was = p.blank || !whole, text
			if p.got > 1 {
				m.fault(t, &m.doubled, p, "the model got it %d times", p.got)
			}
			return
		case pieceOf(text, p.text):
			pieces = append(pieces, p)
		}
	}
	nobody := &parcel{how: "nobody's", text: text}
	switch len(pieces) {
	case 0:
		m.fault(t, &m.wrong, nobody, "the model got what nobody has sent: %.300q", text)
	case 1:
		got, sent := differ(text, strings.TrimSpace(pieces[0].text))
		m.fault(t, &m.wrong, pieces[0], "the model got %d characters, and from one on %+q for %+q", len([]rune(text)), got, sent)
	default:
		m.fault(t, &m.mixed, pieces[0], "the model got it together with %s: %.300q … %.100q", pieces[1], text, text[max(0, len(text)-100):])
	}
}

// differ is where two texts begin to differ.
func differ(a, b string) (in, of string) {
	x, y := []rune(a), []rune(b)
	i := 0
	for i < min(len(x), len(y)) && x[i] == y[i] {
		i++
	}
	return string(x[i:min(len(x), i+20)]), string(y[i:min(len(y), i+20)])
}

// judge counts how a task ended that nobody has canceled in time.
func (m *mixing) judge(t *testing.T, p *parcel) {
	t.Helper()
	u := p.turn
	switch {
	case u.state == a2a.StateCompleted:
		m.answers(t, p)
	case u.state == a2a.StateRejected && strings.ContainsAny(p.text[:1], "/!@#"):
		m.refused++
	default:
		m.fault(t, &m.failed, p, "the task is %s: %s (%s)", u.state, u.says(), encode(u.meta))
		m.reasons = append(m.reasons, u.says())
	}
}

// answers counts a task that completed: the answer must be to this message.
func (m *mixing) answers(t *testing.T, p *parcel) {
	t.Helper()
	u, want := p.turn, "ECHO: "+strings.TrimSpace(p.text)
	if p.blank {
		want = "ECHO: " + p.was
	}
	if _, told := u.meta["changed"]; told != p.blank && p.got > 0 {
		m.fault(t, &m.wrong, p, "the model got it changed: %v, and the task says so: %v (%s)", p.blank, told, encode(u.meta))
		return
	}
	if name, isSpeech := strings.CutPrefix(p.text, "SAY:"); isSpeech {
		name, _, _ = strings.Cut(name, " ")
		want = m.r.speech(name)
	}
	shared := u.meta["interleaved"] != nil
	switch {
	case u.text == want:
		m.answered++
	case untabbed(u.text) == untabbed(want), shared && strings.Contains(untabbed(u.text), untabbed(want)):
		m.answered++
		m.inexact++
	case p.got == 0 && !shared:
		m.fault(t, &m.lost, p, "the model never got it, and the task is completed: %.200q (%s)", u.text, encode(u.meta))
		p.got = -1 // counted
	default:
		m.fault(t, &m.wrong, p, "the answer is %.300q … %.100q (%s)", u.text, u.text[max(0, len(u.text)-100):], encode(u.meta))
	}
}

// table is one row for the agent, and its head.
func (m *mixing) table(took time.Duration) string {
	stages := []string{}
	for _, how := range cancelStages {
		stages = append(stages, fmt.Sprintf("%s %d", how, m.stages[how]))
	}
	return fmt.Sprintf("| agent | messages | answered | refused | cancels | canceled | too late | person | lost | doubled | mixed | wrong | stuck | told as failed | other blanks | time |\n"+
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"+
		"| %s, seed %d | %d | %d | %d | %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %v |",
		m.r.name, m.seed, m.messages, m.answered, m.refused, strings.Join(stages, ", "), m.canceled, m.tooLate, m.person,
		m.lost, m.doubled, m.mixed, m.wrong, m.stuck, m.failed, m.inexact, took.Round(time.Second))
}
