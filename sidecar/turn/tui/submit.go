package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// notSubmitted says that Enter was typed and that the message still stands in the
// input.
func (d *Driver) notSubmitted() error {
	return fmt.Errorf("the message could not be submitted: it was typed, and Enter did not send it within %s", d.profile.Timing.LeaveLimit)
}

var (
	errStillThere  = errors.New("the agent began to work while the message was being typed, and it was not submitted: it still stands in the input")
	errAccompanied = errors.New("other text came into the agent's input while the message was being typed, and it was not submitted: the input cannot be cleared")
)

// typedText turns text into what is typed into an input of several lines: unsafe
// characters are left out and counted. A newline at the end of the text is the
// Enter.
func typedText(text string) (body string, stripped int) {
	lines, stripped := console.TypedLines(text)
	return strings.Join(lines, "\n"), stripped
}

// submit types the message as soon as the agent takes one and nobody else types,
// and waits until it has left the input.
func (x *round) submit(ctx context.Context, body string) error {
	for typed, tries := false, 0; !typed; tries++ {
		if tries >= x.d.profile.Timing.TypeTries {
			return fmt.Errorf("the agent began to work, or other text came into its input, %d times while the message was being typed, and it was not submitted", tries)
		}
		if err := x.d.Ready(ctx, x.t.Over().Done(), x.d.ready, x.t.WaitFor); err != nil {
			return err
		}
		if x.over() {
			return nil
		}
		err := x.d.alone(ctx, x.t, func() error {
			if v := x.d.console.Look(); !x.d.takesText(v) {
				return nil // the agent has become busy meanwhile
			}
			var err error
			if typed, err = x.enter(ctx, body); err != nil || !typed {
				return err
			}
			return x.leaves(ctx) // keys of others right after the Enter would make it text
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// enter types the message and its Enter, and reports whether Enter was typed. If
// the agent has meanwhile begun to work on something else, and would lose the
// message or mix it in, Enter is not typed.
func (x *round) enter(ctx context.Context, body string) (sent bool, err error) {
	d := x.d
	if err := d.empty(ctx); err != nil {
		return false, err
	}
	v := d.console.Look()
	if !d.takesText(v) {
		return false, nil // the agent has become busy while the input was emptied
	}
	keys, err := d.spell(body, v.Screen)
	if err != nil {
		return false, err
	}
	text := keys[len(keys)-1]
	if strings.Contains(body, "\t") && (d.profile.Submit.TabsToBlanks || !strings.Contains(text, "\t")) {
		x.t.Note("changed", spec.ChangedBlanks)
	}
	d.stage, d.echoing = typing, x
	x.ending, x.typed = ending(body), d.console.Now()
	x.screen, x.before = v.Screen, d.input(v.Screen)
	x.listen(v.Screen, body)
	if err := d.press(ctx, keys); err != nil {
		d.cut = strings.HasPrefix(text, pasteBegin)
		return false, err
	}
	if err := x.shown(ctx); err != nil {
		return false, errors.Join(err, d.clear(ctx))
	}
	if x.accompanied(d.input(d.console.Look().Screen), body) {
		return false, x.again(ctx, errAccompanied)
	}
	if d.console.Look().Verdict.State == profile.Working && d.profile.Busy == profile.BusyRefuse && len(d.profile.Clear) > 0 {
		return false, x.again(ctx, errStillThere)
	}
	v = d.console.Look()
	x.stood, x.rows = d.input(v.Screen), d.profile.InputRows(v.Screen)
	d.stage, d.echoing = submitted, nil
	x.sent = d.console.Now()
	d.console.Submitted(body)
	return true, d.write(ctx, d.enterKey())
}

// again takes the message back so that it can be typed once more. It returns
// otherwise if the input cannot be emptied.
func (x *round) again(ctx context.Context, otherwise error) error {
	if err := x.d.clear(ctx); err != nil {
		return err
	}
	if x.d.holds(x.d.console.Look()) {
		return otherwise
	}
	x.d.stage = untyped
	return nil
}

func (d *Driver) enterKey() string {
	if d.profile.Submit.Enter == "" {
		return "\r"
	}
	return d.profile.Submit.Enter
}

// input returns the text in the input.
func (d *Driver) input(s term.Snapshot) entry {
	text, ok := d.profile.Input(s)
	return entry{text: text, ok: ok}
}

// entry is the text of an input, and whether there is an input.
type entry struct {
	text string
	ok   bool
}

// spell returns a message as it is written to the agent's terminal, in one write or
// two: as a paste if the agent asked for pastes, else as plain text.
func (d *Driver) spell(body string, s term.Snapshot) (keys []string, err error) {
	submit := d.profile.Submit
	if submit.Paste && s.Modes.BracketedPaste {
		if escape := d.profile.Escape(body); submit.EscapeFirst && escape != "" && !d.commands {
			keys, body = append(keys, escape), strings.TrimPrefix(body, escape)
		}
		var b strings.Builder
		for _, piece := range pieces(body, submit.PieceRows, submit.PieceBytes, d.profile.CommandChars) {
			b.WriteString(pasteBegin + piece + pasteEnd)
		}
		return append(keys, b.String()), nil
	}
	mode, err := d.tty.Mode()
	if err != nil {
		return nil, err
	}
	if mode.Canonical {
		if err := console.CheckLength(strings.Split(body, "\n")); err != nil {
			return nil, err
		}
	} else {
		body = strings.ReplaceAll(body, "\t", "    ") // a line editor would complete words
	}
	if strings.Contains(body, "\n") {
		if submit.Newline == "" {
			return nil, errors.New("the agent's terminal does not take pasted text now, and the message has several lines: nothing was typed")
		}
		body = strings.ReplaceAll(body, "\n", submit.Newline)
	}
	return []string{body}, nil
}

// pasteBegin and pasteEnd surround a paste.
const pasteBegin, pasteEnd = "\x1b[200~", "\x1b[201~"

// pieces cuts a text between characters, after that many newlines (rows) or before
// that many bytes (size); 0 means no limit. No piece except the first begins with
// one of chars, because some agents would then make all of their input a command. A
// piece is longer if it contains no such place.
func pieces(text string, rows, size int, chars string) (all []string) {
	if rows <= 0 && size <= 0 {
		return []string{text}
	}
	from, newlines := 0, 0
	for i, c := range text {
		if size > 0 && i+utf8.RuneLen(c)-from > size || rows > 0 && newlines >= rows {
			if at := cutAt(text, from, i, chars); at > from {
				all = append(all, text[from:at])
				from, newlines = at, strings.Count(text[at:i], "\n")
			}
		}
		if c == '\n' {
			newlines++
		}
	}
	return append(all, text[from:])
}

// cutWindow is how many bytes of a text are searched for a place to cut it.
const cutWindow = 64

// cutAt returns the last place at or before i after which the text, without leading
// blanks, does not begin with one of chars. It returns from if there is none.
func cutAt(text string, from, i int, chars string) int {
	for at := i; at > max(from, i-cutWindow); at-- {
		if !utf8.RuneStart(text[at]) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(console.Trimmed(text[at:min(len(text), at+cutWindow)]))
		if next != utf8.RuneError && !strings.ContainsRune(chars, next) {
			return at
		}
	}
	return from
}

// shown waits until the message stands in the input and the cursor's row no longer
// changes: some agents take an Enter that comes too soon for a part of the paste.
// It fails if the message does not appear, or if a dialog does.
func (x *round) shown(ctx context.Context) error {
	d := x.d
	var came, moved time.Time // when the echo came, and when the cursor's row last changed
	last := cursorRow(x.screen)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		v, now := d.console.Look(), d.console.Now()
		switch v.Verdict.State {
		case profile.Asking, profile.Dialogue:
			return fmt.Errorf("a dialog came up while the message was being typed, and it was not submitted: %s", firstLine(v.Verdict.Message))
		}
		in := d.input(v.Screen)
		if came.IsZero() && x.echoed(v.Screen, in) {
			came, moved = now, now
		}
		if row := cursorRow(v.Screen); row != last {
			last, moved = row, now
		}
		left := x.d.profile.Timing.ShowLimit - now.Sub(x.typed)
		switch {
		case came.IsZero() && left <= 0:
			return fmt.Errorf("the message did not appear in the agent's input within %s, and was not submitted", x.d.profile.Timing.ShowLimit)
		case came.IsZero():
		case x.complete(in):
			left = min(d.settle()-now.Sub(moved), x.d.profile.Timing.SettleLimit-now.Sub(came))
		default:
			left = min(max(x.d.profile.Timing.PartHold, d.settle())-now.Sub(moved), left)
		}
		if left <= 0 {
			return nil
		}
		timer.Reset(left)
		select {
		case <-v.Changed:
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// settle returns how long the cursor's row must be quiet before Enter.
func (d *Driver) settle() time.Duration {
	if settle := d.profile.Submit.Settle(); settle > 0 {
		return settle
	}
	return 200 * time.Millisecond
}

// echoed reports whether the input shows a part of the message, or what the agent
// shows in its place.
func (x *round) echoed(now term.Snapshot, in entry) bool {
	switch {
	case in.ok:
		return in.text != x.before.text
	case x.before.ok: // the input has grown beyond the screen
		return shows(now, x.ending)
	}
	return now.Generation != x.screen.Generation
}

// complete reports whether the whole message stands in the input, as far as that
// can be seen.
func (x *round) complete(in entry) bool {
	_, pasted := x.d.profile.WithoutPastes(in.text)
	return !in.ok || pasted || strings.Contains(squeeze(in.text), x.ending)
}

const (
	// endingRunes is how many characters of a message's end are searched for on the
	// screen, and endingRows in how many of the last rows.
	endingRunes = 16
	endingRows  = 8
)

// ending returns the end of a message, without its blanks. It begins after the last
// combining mark: an agent may show a character and its marks as one.
func ending(body string) string {
	all := []rune(squeeze(body))
	all = all[max(0, len(all)-endingRunes):]
	for i := len(all) - 1; i >= 0; i-- {
		if unicode.Is(unicode.Mn, all[i]) {
			all = all[i+1:]
			break
		}
	}
	return string(all)
}

// squeeze returns a text without its blanks.
func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }

// shows reports whether the end of a message is in the last rows of the screen.
func shows(s term.Snapshot, ending string) bool {
	var rows []string
	for i := len(s.Lines) - 1; i >= 0 && len(rows) < endingRows; i-- {
		if row := squeeze(s.Lines[i].Text); row != "" {
			rows = append(rows, row)
		}
	}
	slices.Reverse(rows)
	return strings.Contains(strings.Join(rows, ""), ending)
}

// cursorRow returns the cursor's position and the text of its row, to compare them.
func cursorRow(s term.Snapshot) string {
	if s.CursorRow >= len(s.Lines) {
		return ""
	}
	return fmt.Sprint(s.CursorCol, " ", s.CursorRow, " ", s.Lines[s.CursorRow].Text)
}

// leaves waits until the message has left the input. It repeats Enter only if the
// agent shows that it took the last one for a part of the text: in any other case,
// nobody knows what another Enter would do.
func (x *round) leaves(ctx context.Context) error {
	d := x.d
	for enters := 1; enters <= x.d.profile.Timing.EnterTries; {
		wait, cancel := context.WithTimeout(ctx, x.d.profile.Timing.LeaveLimit)
		err := d.console.Until(wait, func(v console.Observation) bool {
			x.evidence(v)
			return x.over() || x.left(v) || x.grown(v)
		})
		cancel()
		switch v := d.console.Look(); {
		case ctx.Err() != nil:
			return nil // follow sees the end of ctx
		case err != nil && x.stalled(v):
			continue
		case err != nil && !x.worked && x.unshown(v):
			d.redraw(ctx, v)
			continue
		case err != nil && !x.worked:
			return x.unsent(ctx)
		case err != nil, !x.grown(v):
			return nil
		}
		if err := x.enterAgain(ctx); err != nil {
			return err
		}
		enters++
	}
	return x.unsent(ctx)
}

// left reports whether the message has left the input.
func (x *round) left(v console.Observation) bool {
	in := x.d.input(v.Screen)
	switch {
	case x.worked: // the agent works on this message, unless the message is still there
		return !in.ok || in.text == "" || in.text != x.stood.text
	case !in.ok:
		return !x.d.boxed() || asks(v.Verdict) || x.through(v)
	case in.text == x.stood.text:
		return x.stood.text == ""
	}
	// A newline after the message is an Enter that was taken for text.
	return !strings.HasPrefix(in.text, x.stood.text) || x.stood.text == ""
}

// through reports whether the agent itself has said since the Enter that it is
// ready again: it was done before it could be seen at work.
func (x *round) through(v console.Observation) bool {
	return v.Verdict.State == profile.Ready && v.Verdict.Confidence >= certain && v.Verdict.Since.After(x.sent)
}

// escape turns a message that the agent would run as a command into text, or
// refuses it. Only the first line that is not blank counts, because agents trim.
func (d *Driver) escape(body string) (string, error) {
	if d.commands {
		return body, nil
	}
	text := console.Trimmed(body)
	if word := strings.TrimSpace(text); slices.Contains(d.profile.CommandWords, strings.ToLower(word)) {
		return body, &console.CommandError{Agent: d.agent, Line: 1 + strings.Count(body[:len(body)-len(text)], "\n"), Char: word}
	}
	first, _, _ := strings.Cut(text, "\n")
	err := console.CheckCommands(d.agent, d.profile.CommandChars, []string{first})
	if err == nil {
		return body, nil
	}
	if escape := d.profile.Escape(first); escape != "" {
		return escape + text, nil
	}
	if refused := (*console.CommandError)(nil); errors.As(err, &refused) {
		refused.Line += strings.Count(body[:len(body)-len(text)], "\n")
	}
	return body, err
}
