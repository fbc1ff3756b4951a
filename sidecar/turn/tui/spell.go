package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// escape turns a message that the agent would run as a command into text, or
// refuses it. Only the first line that is not blank counts, because agents trim.
func (m *rules) escape(body string) (string, error) {
	if m.commands {
		return body, nil
	}
	text := console.Trimmed(body)
	if word := strings.TrimSpace(text); slices.Contains(m.profile.CommandWords, strings.ToLower(word)) {
		return body, &console.CommandError{Agent: m.agent, Line: 1 + strings.Count(body[:len(body)-len(text)], "\n"), Char: word}
	}
	first, _, _ := strings.Cut(text, "\n")
	err := console.CheckCommands(m.agent, m.profile.CommandChars, []string{first})
	if err == nil {
		return body, nil
	}
	if escape := m.profile.Escape(first); escape != "" {
		return escape + text, nil
	}
	if refused := (*console.CommandError)(nil); errors.As(err, &refused) {
		refused.Line += strings.Count(body[:len(body)-len(text)], "\n")
	}
	return body, err
}

// spell returns a message as it is written to the agent's terminal, in one write or
// two: as a paste if the agent asked for pastes, else as plain text.
func (m *rules) spell(body string, e *event) (keys []string, err error) {
	submit := m.profile.Submit
	if submit.Paste && e.Screen.Modes.BracketedPaste && !(e.mode.Canonical && m.guessed()) {
		if escape := m.profile.Escape(body); submit.EscapeFirst && escape != "" && !m.commands {
			keys, body = append(keys, escape), strings.TrimPrefix(body, escape)
		}
		var b strings.Builder
		all := pieces(body, submit.PieceRows, submit.PieceBytes, m.profile.CommandChars)
		b.Grow(len(body) + len(all)*len(pasteBegin+pasteEnd))
		for _, piece := range all {
			b.WriteString(pasteBegin)
			b.WriteString(piece)
			b.WriteString(pasteEnd)
		}
		return append(keys, b.String()), nil
	}
	if e.modeErr != nil {
		return nil, e.modeErr
	}
	if e.mode.Canonical {
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

const (
	// endingRunes is how many characters of a message's end are searched for on the
	// screen, and endingRows in how many of the last rows.
	endingRunes = 16
	endingRows  = 8
)

// ending returns the end of a message whose blanks were left out. It begins after the last
// combining mark: an agent may show a character and its marks as one.
func ending(body string) string {
	all := []rune(body[max(0, len(body)-utf8.UTFMax*endingRunes):])
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
func shows(s term.Snapshot, ending string) bool { return shown(s, ending) > 0 }

// shown counts the end of a message in the last rows of the screen.
func shown(s term.Snapshot, ending string) int {
	var rows []string
	for i := len(s.Lines) - 1; i >= 0 && len(rows) < endingRows; i-- {
		if row := squeeze(s.Lines[i].Text); row != "" {
			rows = append(rows, row)
		}
	}
	slices.Reverse(rows)
	return strings.Count(strings.Join(rows, ""), ending)
}

// cursorRow returns the cursor's position and the text of its row, to compare them.
func cursorRow(s term.Snapshot) string {
	if s.CursorRow >= len(s.Lines) {
		return ""
	}
	return fmt.Sprint(s.CursorCol, " ", s.CursorRow, " ", s.Lines[s.CursorRow].Text)
}

// cursorAt returns the cursor's row, counted from the first row that the program
// wrote.
func cursorAt(s term.Snapshot) uint64 { return s.Scrolled + uint64(s.CursorRow) }
