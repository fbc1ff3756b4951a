package learn

// certainNum and certainDen say in how many of the frames the first sign of work must stand so
// that the sign is taken to be always there: nine in ten.
const certainNum, certainDen = 9, 10

// unsure lists what was guessed, or seen only once.
func (l *Learner) unsure(f *File, signs []sign) (all []string) {
	say := func(when bool, what string) {
		if when {
			all = append(all, what)
		}
	}
	say(f.Prompt.Cursor, "prompt: nothing marks the input; the row of the cursor is taken for it")
	say(f.Prompt.Up > 0, "prompt: nothing marks the input; a row above the cursor is taken for it")
	say(!l.left, "submit: the message was not seen to leave the input")
	say(f.Prompt.Next == "", "prompt.next: further rows of the input were not recognised; only its first row is read")
	say(len(signs) == 0 && len(f.Signs) == 1, "signs: no sign of work was found; the end of an answer is recognised only because the screen stops changing")
	say(len(signs) > 0 && signs[0].covers*certainDen < signs[0].total*certainNum, "signs: the sign of work was not on the screen all the time while the agent worked")
	say(l.paste && !l.lines, "submit: no message of several lines was typed; a paste is cut into small pieces so that the agent takes it for text")
	say(len(f.Interrupt) == 0, "interrupt: the agent named no key that stops a turn; Ctrl-C is used")
	say(len(f.Clear) == 0, "clear: no key was found that empties the input")
	say(f.Answer.Echo == "", "answer.echo: nothing marks a message that was sent; it is recognised by its text")
	say(len(l.answers) < commonMin, "answer: only one turn was seen")
	say(len(l.answers) < commonMin && len(l.remarkPatterns()) > 0, "answer.drop: the last row of the only answer seems to tell how long it took; rows like it are left out")
	say(f.Answer.Wrap == "", "answer.wrap: no answer was longer than a row; how long lines are wrapped is unknown")
	say(true, "questions: none was seen; only the built-in generic questions are recognised")
	return all
}
