package term

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// The limits of OSC 7501, in bytes: of a report, of its decoded texts, of an id and of a name.
// maxStatusDepth is how many names an id may have.
const (
	maxStatus      = 4 << 10
	maxStatusTitle = 192
	maxStatusMsg   = 2048
	maxStatusID    = 128
	maxStatusDepth = 8
	maxStatusName  = 32
)

// programStatus handles OSC 7501: a question mark, which is answered with the same bytes, or a
// report.
func (m *model) programStatus(text string, bell bool) {
	if text == "?" {
		m.answerStatus(bell)
		return
	}
	if status, ok := parseStatus(text); ok {
		m.tell(Event{Kind: EventStatus, Text: status.State, Status: status})
	}
}

// parseStatus reads key=value pairs that are separated by colons. One bad field makes the whole
// report invalid; an unknown key does not.
func parseStatus(text string) (Status, bool) {
	s := Status{Progress: -1}
	if len(text) > maxStatus {
		return s, false
	}
	seen := make(map[string]bool)
	for pair := range strings.SplitSeq(text, ":") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" || seen[key] || !s.set(key, value) {
			return s, false
		}
		seen[key] = true
	}
	switch {
	case s.State == "",
		s.Kind != "" && s.State != "blocked",
		s.Progress >= 0 && s.State != "working" && s.State != "blocked":
		return s, false
	}
	return s, true
}

// set takes one field and reports whether it is valid.
func (s *Status) set(key, value string) (ok bool) {
	switch key {
	case "state":
		s.State = value
		return slices.Contains([]string{"idle", "working", "blocked", "done", "error", "clear"}, value)
	case "kind":
		s.Kind = value
		return slices.Contains([]string{"permission", "question", "auth"}, value)
	case "progress":
		n, err := strconv.ParseUint(value, 10, 8)
		s.Progress = int(n)
		return err == nil && n <= 100 && value[0] != '+'
	case "id":
		s.ID = value
		return isStatusID(value)
	case "app":
		s.App = value
		return isStatusName(value)
	case "title":
		s.Title, ok = statusText(value, maxStatusTitle)
		return ok
	case "msg":
		s.Msg, ok = statusText(value, maxStatusMsg)
		return ok
	}
	return true
}

// isStatusID reports whether id consists of names separated by slashes.
func isStatusID(id string) bool {
	names := strings.Split(id, "/")
	if len(id) > maxStatusID || len(names) > maxStatusDepth {
		return false
	}
	for _, name := range names {
		if !isStatusName(name) {
			return false
		}
	}
	return true
}

func isStatusName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("_.+-", rune(c)) {
			return false
		}
	}
	return name != "" && len(name) <= maxStatusName
}

// statusText decodes one line of text. It refuses text with a control character, and leaves out
// characters that change the direction of writing.
func statusText(encoded string, limit int) (string, bool) {
	said, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || len(said) > limit || !utf8.Valid(said) {
		return "", false
	}
	bad := strings.ContainsFunc(string(said), unicode.IsControl)
	return text.Line(string(said), limit), !bad
}
