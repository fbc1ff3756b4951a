package hook

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Limits of what a hook takes.
const (
	// MaxPayload is how many bytes an agent may give its hook. A longer payload is
	// not read.
	MaxPayload = 16 << 20
	// MaxMessage is how many bytes of a Message are passed on.
	MaxMessage = 4 << 10
)

// Read turns what an agent gave its hook into a report. It is false when that
// says nothing of what the agent is doing: an event of another kind, of another
// thread, or something that cannot be read. Where the payload only points to what
// was said, tail is asked for the end of that file, which may begin in the middle
// of a line; nil for a file that cannot be read.
func Read(agent string, payload []byte, tail func(path string) []byte) (channel.Report, bool) {
	if len(payload) > MaxPayload {
		return channel.Report{}, false
	}
	var r channel.Report
	var ok bool
	switch agent {
	case "claude":
		r, ok = readClaude(payload)
	case "codex":
		r, ok = readCodex(payload)
	case "gemini":
		r, ok = readGemini(payload, tail)
	}
	r.Message = text.Shorten(r.Message, MaxMessage)
	return r, ok
}

// maxTail is how much of the end of a file Tail reads.
const maxTail = 2 << 20

// Tail is the end of a file, for Read.
func Tail(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	from := max(0, info.Size()-maxTail)
	data, err := io.ReadAll(io.NewSectionReader(f, from, maxTail))
	if err != nil {
		return nil
	}
	return data
}

// Concerns reports whether a report may be about the message that was typed. Not
// every thread of an agent answers that: a report that names another message is
// about another turn. White space does not count, for the agent's input box may
// have changed it, nor whether a letter and its marks are one character (NFC).
func Concerns(r channel.Report, typed string) bool {
	if r.Prompt == "" || blanked(r.Prompt) == blanked(typed) {
		return true
	}
	return strings.ContainsFunc(typed, composes) && blanked(plain(r.Prompt)) == blanked(plain(typed))
}

// The values of Changed.
const (
	ChangedBlanks     = "blanks"     // white space only
	ChangedCharacters = "characters" // more than that
)

// Changed says how the message that the agent got, by its report, differs from
// the one that was typed: "" not at all, or the report does not tell. What stands
// around it does not count.
func Changed(r channel.Report, typed string) string {
	got, sent := strings.TrimSpace(r.Prompt), strings.TrimSpace(typed)
	switch {
	case got == "" || got == sent:
		return ""
	case blanked(got) == blanked(sent):
		return ChangedBlanks
	}
	return ChangedCharacters
}

// blanked is a text whose white space is all alike.
func blanked(text string) string { return strings.Join(strings.Fields(text), " ") }

// composes reports whether a character may become one with those before it.
func composes(c rune) bool { return unicode.Is(unicode.Mn, c) || c >= 0x1100 && c <= 0x11ff }

// plain is what is left of a text without all that may be composed, or the result
// of that: two texts that differ only in this have the same.
func plain(text string) string {
	var kept []rune
	bare := false // the last character was kept
	for _, c := range text {
		switch {
		case c < unicode.MaxASCII:
			kept, bare = append(kept, c), true
			continue
		case bare && composes(c):
			kept = kept[:len(kept)-1]
		}
		bare = false
	}
	return string(kept)
}

// final is a turn that has ended with this answer.
func final(text string) channel.Report {
	return channel.Report{State: channel.ReportReady, Text: text, Final: true}
}

// working is a turn that goes on.
func working() channel.Report { return channel.Report{State: channel.ReportWorking} }

// asks is a turn that waits for somebody.
func asks(kind, message string) channel.Report {
	return channel.Report{State: channel.ReportAsking, Kind: kind, Message: message}
}

// tool says in a line what a tool is to do: the one argument that tells most.
func tool(name string, input json.RawMessage) string {
	var known struct {
		Command  string `json:"command"`
		FilePath string `json:"file_path"`
		URL      string `json:"url"`
		Path     string `json:"path"`
	}
	_ = json.Unmarshal(input, &known) // arguments of other types are not shown
	for _, detail := range []string{known.Command, known.FilePath, known.URL, known.Path} {
		if detail != "" {
			return name + ": " + detail
		}
	}
	return name
}
