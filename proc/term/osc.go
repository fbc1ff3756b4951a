package term

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

const (
	maxTitle  = 1 << 10
	maxNotice = 4 << 10
)

// osc handles an operating system command. bell tells whether BEL ended it; its answer ends in
// the same way.
func (m *model) osc(content []byte, bell bool) {
	command, rest, _ := bytes.Cut(content, []byte{';'})
	switch string(command) {
	case "0", "2":
		m.setTitle(text.Line(string(rest), maxTitle))
	case "4":
		m.paletteQueries(string(rest), bell)
	case "9":
		m.conEmu(string(rest))
	case "10", "11", "12":
		m.colorQueries(int(command[1]-'0')+10, string(rest), bell)
	case "99":
		m.kittyNotice(string(rest))
	case "133", "633":
		m.mark(string(rest))
	case "777":
		m.notify777(string(rest))
	case "7501":
		m.programStatus(string(rest), bell)
	}
}

func (m *model) setTitle(title string) {
	m.title = title
	m.tell(Event{Kind: EventTitle, Text: title})
}

// mark handles OSC 133 or 633: A, B, C or D[;code].
func (m *model) mark(text string) {
	kind, rest, _ := strings.Cut(text, ";")
	e := Event{Kind: EventMark, Text: kind, Code: -1}
	switch kind {
	case "A", "B", "C":
	case "D":
		code, _, _ := strings.Cut(rest, ";")
		if n, err := strconv.Atoi(code); err == nil && n >= 0 {
			e.Code = n
		}
	default:
		return
	}
	m.tell(e)
}

// conEmu handles OSC 9: 4;state;percent is progress, 9;path is the working directory, and
// anything else is a notification.
func (m *model) conEmu(text string) {
	if e, ok := progress(text); ok {
		m.tell(e)
		return
	}
	if strings.HasPrefix(text, "9;") {
		return
	}
	m.notify(9, "", text)
}

func progress(text string) (e Event, ok bool) {
	fields := strings.Split(text, ";")
	if fields[0] != "4" || len(fields) < 2 || len(fields) > 3 {
		return e, false
	}
	e = Event{Kind: EventProgress, Percent: -1}
	state, err := strconv.Atoi(fields[1])
	if err != nil || state < 0 || state > 4 {
		return e, false
	}
	e.Code = state
	if len(fields) == 3 && fields[2] != "" {
		percent, err := strconv.Atoi(fields[2])
		if err != nil {
			return e, false
		}
		e.Percent = clamp(percent, 0, 100)
	}
	return e, true
}

// notify777 handles OSC 777: notify;title;body.
func (m *model) notify777(text string) {
	if rest, ok := strings.CutPrefix(text, "notify;"); ok {
		title, body, _ := strings.Cut(rest, ";")
		m.notify(777, title, body)
	}
}

func (m *model) notify(code int, title, body string) {
	said := body
	if title != "" && body != "" {
		said = title + "\n" + body
	} else if title != "" {
		said = title
	}
	said = strings.ReplaceAll(text.Strip(said), "\t", " ")
	if said = text.Cut(said, maxNotice); said != "" {
		m.tell(Event{Kind: EventNotify, Code: code, Text: said})
	}
}

// paletteQueries handles OSC 4: pairs of an index and a colour or a question mark.
func (m *model) paletteQueries(text string, bell bool) {
	for range maxColorQueries {
		index, rest, _ := strings.Cut(text, ";")
		color, next, more := strings.Cut(rest, ";")
		if n, err := strconv.Atoi(index); err == nil && color == "?" && n >= 0 && n < 256 {
			m.answerColor("4;"+strconv.Itoa(n), paletteRGB(n), bell)
		}
		if !more {
			return
		}
		text = next
	}
}

// colorQueries handles OSC 10 (text), 11 (background) and 12 (cursor): a colour or a question
// mark. A second one is for the next number.
func (m *model) colorQueries(code int, text string, bell bool) {
	for ; code <= 12; code++ {
		color, rest, more := strings.Cut(text, ";")
		if color == "?" {
			rgb := foreground
			if code == 11 {
				rgb = background
			}
			m.answerColor(strconv.Itoa(code), rgb, bell)
		}
		if !more {
			return
		}
		text = rest
	}
}
