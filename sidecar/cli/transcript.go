package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// transcript prints the events of a task: the answer to stdout, everything else to
// stderr. If a snapshot repeats what was printed, only the new part is added.
type transcript struct {
	std    Std
	asJSON bool

	task    string
	context string
	state   a2a.TaskState
	status  *a2a.Message
	replied bool // the answer was a bare message: there is no task to wait for

	last    uint64          // the ID of the newest event
	printed map[string]seen // by artifact
	open    bool            // the last line on stdout is incomplete
}

// seen is how much of an artifact was printed.
type seen struct {
	text  int // bytes
	other int // parts that are not text
	all   int // bytes of content, of any kind
}

// and returns s after parts were printed too.
func (s seen) and(parts []a2a.Part) seen {
	for i := range parts {
		p := &parts[i]
		s.all += len(p.Text) + len(p.Data) + len(p.URL) + len(p.Raw)
		if p.Kind == a2a.PartText {
			s.text += len(p.Text)
		} else {
			s.other++
		}
	}
	return s
}

func newTranscript(std Std, asJSON bool) *transcript {
	return &transcript{std: std, asJSON: asJSON, printed: map[string]seen{}}
}

// settled reports whether there is nothing to wait for now.
func (t *transcript) settled() bool {
	return t.replied || t.state.Terminal() || t.state.Interrupted()
}

// add takes one event and skips one that came before. The error is that of writing to
// stdout.
func (t *transcript) add(e *a2a.Event) error {
	if e.ID != 0 {
		if e.ID <= t.last && e.Task == nil {
			return nil
		}
		t.last = e.ID
	}
	t.learn(e)
	if t.asJSON {
		_, err := fmt.Fprintf(t.std.Out, "%s\n", codec.EncodeEvent(e, a2a.V10))
		return err
	}
	switch {
	case e.Message != nil:
		return t.parts(t.std.Out, e.Message.Parts)
	case e.Task != nil:
		for i := range e.Task.Artifacts {
			if err := t.artifact(&e.Task.Artifacts[i], true); err != nil {
				return err
			}
		}
	case e.Artifact != nil:
		if !e.Artifact.Append {
			t.printed[e.Artifact.Artifact.ID] = seen{}
		}
		return t.artifact(&e.Artifact.Artifact, false)
	case e.Status != nil && t.state == a2a.StateWorking:
		t.progress()
	}
	return nil
}

// learn keeps what later messages and the end need.
func (t *transcript) learn(e *a2a.Event) {
	switch {
	case e.Message != nil:
		t.replied = true
	case e.Task != nil:
		t.task, t.context = e.Task.ID, e.Task.ContextID
		t.state, t.status = e.Task.Status.State, e.Task.Status.Message
	case e.Status != nil:
		t.state, t.status = e.Status.Status.State, e.Status.Status.Message
	}
}

// saidParts returns the parts of the current status's message, nil for none.
func (t *transcript) saidParts() []a2a.Part {
	if t.status == nil {
		return nil
	}
	return t.status.Parts
}

// said returns the text of the current status's message.
func (t *transcript) said() string { return textOf(t.saidParts()) }

// textOf returns the text parts, each on lines of its own.
func textOf(parts []a2a.Part) string {
	var lines []string
	for _, p := range parts {
		if p.Kind == a2a.PartText {
			lines = append(lines, p.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// progress tells a person what the agent says it is doing.
func (t *transcript) progress() {
	if said := t.said(); said != "" && isTerminal(t.std.Err) {
		t.end()
		fmt.Fprintf(t.std.Err, "… %s\n", printable(oneLine(said)))
	}
}

// artifact prints the new part of an artifact. A whole artifact repeats its text from
// the start; an update only adds.
func (t *transcript) artifact(a *a2a.Artifact, whole bool) error {
	out := t.std.Out
	if a.Name == "stderr" {
		t.end() // it comes last, and a terminal shows both
		out = t.std.Err
	}
	before := t.printed[a.ID]
	if !whole {
		t.printed[a.ID] = before.and(a.Parts)
		return t.parts(out, a.Parts)
	}
	now := seen{}.and(a.Parts)
	now = seen{max(now.text, before.text), max(now.other, before.other), max(now.all, before.all)}
	lost := writtenBytes(a) - now.all
	now.all += max(lost, 0)
	t.printed[a.ID] = now
	if err := t.parts(out, before.unseen(a.Parts)); err != nil {
		return err
	}
	if lost > 0 {
		t.end()
		fmt.Fprintf(t.std.Err, "sidecar: %s of %s missing here: the server has kept only the beginning\n", text.Count(lost, "byte"), printable(a.ID))
	}
	return nil
}

// writtenBytes returns the full size of an artifact that was kept only in part, 0 for
// one that is whole.
func writtenBytes(a *a2a.Artifact) int {
	if string(a.Metadata["truncated"]) != "true" {
		return 0
	}
	n, _ := strconv.Atoi(string(a.Metadata["totalBytes"]))
	return n
}

// unseen returns what follows the parts that were seen. Neighbouring texts may have
// been joined meanwhile.
func (s seen) unseen(parts []a2a.Part) []a2a.Part {
	for len(parts) > 0 && (s.text > 0 || s.other > 0) {
		first := parts[0]
		switch n := len(first.Text); {
		case first.Kind != a2a.PartText && s.other == 0, first.Kind == a2a.PartText && n > 0 && s.text == 0:
			return parts
		case first.Kind != a2a.PartText:
			s.other--
		case n > s.text:
			first.Text = first.Text[s.text:]
			return append([]a2a.Part{first}, parts[1:]...)
		default:
			s.text -= n
		}
		parts = parts[1:]
	}
	return parts
}

// parts prints content: text as it is, data as a line of JSON, an address as a line;
// for a file it prints a description.
func (t *transcript) parts(out io.Writer, parts []a2a.Part) error {
	for i := range parts {
		if err := t.part(out, &parts[i]); err != nil {
			return err
		}
	}
	return nil
}

func (t *transcript) part(out io.Writer, p *a2a.Part) error {
	switch p.Kind {
	case a2a.PartText:
		return t.write(out, p.Text)
	case a2a.PartData:
		return t.writeLine(out, string(p.Data))
	case a2a.PartURL:
		return t.writeLine(out, p.URL)
	}
	t.end()
	name, kind := p.Filename, ""
	if name == "" {
		name = "file"
	}
	if p.MediaType != "" {
		kind = p.MediaType + ", "
	}
	_, err := fmt.Fprintf(t.std.Err, "sidecar: not shown: %s (%s%s); -o json has it\n", printable(name), printable(kind), text.Count(len(p.Raw), "byte"))
	return err
}

// writeLine writes a part that is a line of its own.
func (t *transcript) writeLine(out io.Writer, line string) error {
	t.end()
	return t.write(out, line+"\n")
}

func (t *transcript) write(out io.Writer, text string) error {
	if text == "" {
		return nil
	}
	if out == io.Writer(t.std.Out) {
		t.open = !strings.HasSuffix(text, "\n")
		_, err := io.WriteString(out, forReader(t.std.Out, text))
		return err
	}
	_, err := io.WriteString(out, forReader(t.std.Err, text))
	return err
}

// lastWord prints what the agent said when it completed the task, which is a part of
// its answer (emit done TEXT, or a bare message).
func (t *transcript) lastWord() error {
	if t.asJSON {
		return nil
	}
	err := t.parts(t.std.Out, t.saidParts())
	t.end()
	return err
}

// end completes the last line, so that what follows begins a new one.
func (t *transcript) end() {
	if t.open && !t.asJSON {
		fmt.Fprintln(t.std.Out)
		t.open = false
	}
}
