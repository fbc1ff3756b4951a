package unseen_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// bound is how long a step may take, in addition to what its program takes; then it is
// a step that came to no end.
const bound = 30 * time.Second

// outcome is what a client got for one step.
type outcome struct {
	step
	right    bool // the answer is exactly what it has to be, and so is the question
	ended    bool // and so are the states
	offered  bool // the question came, with its options
	wrong    bool // completed while it asked
	task     string
	first    time.Time     // when the message was sent
	sent     time.Time     // when the newest message was: the reply, if there was one
	complete time.Time     // zero: never
	delay    time.Duration // from the real end; only if complete
	why      string
}

// play sends one step and answers what it asks.
func (r *rig) play(s step) *outcome {
	o := &outcome{step: s}
	limit := bound + time.Duration(s.Takes*float64(time.Second))
	u := r.begin()
	defer func() {
		u.cancel()
		if err := r.rest(calm, 3*calm); err != nil {
			o.fail("%v", err)
		}
	}()
	err := u.send(r.fill(s.Say), limit)
	o.task, o.first, o.sent = u.task, u.sent, u.sent
	if err != nil {
		o.fail("%v", err)
		return o
	}
	for _, asked := range s.questions() {
		if !o.question(u, asked) {
			return o
		}
		_, q := u.asks()
		err := u.send(q.choice(asked.Reply), limit)
		if o.sent = u.sent; err != nil {
			o.fail("after the reply: %v", err)
			return o
		}
	}
	if u.state != a2a.StateCompleted {
		said, _ := u.asks()
		o.fail("%s: %q, answer %q", u.state, said, u.answer())
		return o
	}
	o.ended = true
	if o.complete = u.ended; o.Asks == "" && u.ended.Sub(u.sent).Seconds() < 0.8*o.Takes {
		o.ended, o.complete = false, time.Time{} // there is no delay from an end that is still to come
		o.fail("completed before the program's end")
	}
	o.judge(u.answer(), r)
	return o
}

// question judges what came in place of a question; false ends the step.
func (o *outcome) question(u *turn, asked step) bool {
	if !u.state.Interrupted() {
		o.wrong = u.state == a2a.StateCompleted
		o.fail("%s while it asks: %q (%s)", u.state, u.answer(), u.meta["agentState"])
		if o.wrong { // as a person would go on
			next := u.r.begin()
			if err := next.send(asked.Reply, bound); err != nil || !next.state.Terminal() {
				next.cancel()
			}
		}
		return false
	}
	said, q := u.asks()
	right := fits(said+"\n"+q.Question, "{*}"+asked.Asks+"{*}") && (len(asked.Options) == 0 || slices.EqualFunc(q.labels(), asked.Options, strings.EqualFold))
	o.offered = right && (o.offered || asked.Say != "") // each of them: only the first has something to say
	if !right {
		o.fail("the question is %q with the options %q", cmp.Or(said, q.Question), q.labels())
	}
	return true
}

// judge compares the answer.
func (o *outcome) judge(answer string, r *rig) {
	switch {
	case o.Screen != "":
		o.right = matches(o.Screen, answer) && (o.Gone == "" || !matches(o.Gone, answer))
	case fits(answer, r.fill(o.Answer)):
		o.right = true
	case o.Asks != "" && r.Kind != "agent": // what is printed stays: the question and the reply come first
		asked := o.questions()
		o.right = echoed(answer, asked[len(asked)-1].Asks, r.fill(o.Answer))
	}
	if !o.right {
		o.fail("answer %q", answer)
	}
	o.right = o.right && (o.Asks == "" || o.offered)
}

func (o *outcome) fail(format string, args ...any) {
	for i, a := range args {
		if text, ok := a.(string); ok {
			args[i] = short(text)
		}
	}
	o.why += fmt.Sprintf(format+"; ", args...)
}

// short is a text as a note of the table has it: the recording has all of it.
func short(text string) string {
	const most = 200
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return text
}

func matches(expression, text string) bool {
	return regexp.MustCompile("(?m)" + expression).MatchString(clean(text))
}

// fits reports whether a text is what is wanted, in which {*} stands for any.
func fits(text, want string) bool {
	pieces := strings.Split(clean(want), "{*}")
	for i := range pieces {
		pieces[i] = regexp.QuoteMeta(pieces[i])
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(pieces, ".*") + `$`).MatchString(clean(text))
}

// echoed reports whether a text is what is wanted after a line with the question, and
// with the reply if it was echoed.
func echoed(text, asks, want string) bool {
	lines := strings.SplitAfter(clean(text), "\n")
	for i, line := range lines {
		if fits(line, "{*}"+asks+"{*}") && fits(strings.Join(lines[i+1:], ""), want) {
			return true
		}
	}
	return false
}

// clean is a text without what does not count: blanks at the ends of lines, and empty lines at the ends of the text.
func clean(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\u00a0")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
