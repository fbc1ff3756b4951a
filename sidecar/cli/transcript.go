package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// transcript prints the events of a task: the answer to stdout, all else to
// stderr. A snapshot that repeats what was printed adds only what is new.
type transcript struct {
	std    Std
	asJSON bool

	task    string
	context string
	state   a2a.TaskState
	status  *a2a.Message
	replied bool // with a bare message: there is no task to wait for

	printed map[string]int // bytes of text by artifact
	open    bool           // the last line on stdout is not ended
}

func newTranscript(std Std, asJSON bool) *transcript {
	return &transcript{std: std, asJSON: asJSON, printed: map[string]int{}}
}

// settled reports whether there is nothing to wait for now.
func (t *transcript) settled() bool {
	return t.replied || t.state.Terminal() || t.state.Interrupted()
}

// add takes one event in. The error is stdout's.
func (t *transcript) add(e *a2a.Event) error {
	t.learn(e)
	if t.asJSON {
		_, err := fmt.Fprintf(t.std.Out, "%s\n", e.Encode(a2a.V10))
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
			t.printed[e.Artifact.Artifact.ID] = 0
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

// saidParts is the message of the current status, nil for none.
func (t *transcript) saidParts() []a2a.Part {
	if t.status == nil {
		return nil
	}
	return t.status.Parts
}

// said is its text.
func (t *transcript) said() string { return textOf(t.saidParts()) }

// textOf is what the text parts say, each on lines of its own.
func textOf(parts []a2a.Part) string {
	var lines []string
	for _, p := range parts {
		if p.Kind == a2a.PartText {
			lines = append(lines, p.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// progress tells a person what the agent says that it is doing.
func (t *transcript) progress() {
	if said := t.said(); said != "" && isTerminal(t.std.Err) {
		t.end()
		fmt.Fprintf(t.std.Err, "… %s\n", printable(oneLine(said)))
	}
}

// artifact prints what is new of one. A whole artifact repeats its text from
// the start; an update only adds.
func (t *transcript) artifact(a *a2a.Artifact, whole bool) error {
	out := t.std.Out
	if a.Name == "stderr" {
		t.end() // it comes last, and a terminal shows both
		out = t.std.Err
	}
	if !whole {
		t.printed[a.ID] += textBytes(a.Parts)
		return t.parts(out, a.Parts)
	}
	seen := t.printed[a.ID]
	if total := textBytes(a.Parts); total > 0 {
		t.printed[a.ID] = max(total, seen)
	}
	return t.parts(out, unseen(a.Parts, seen))
}

func textBytes(parts []a2a.Part) int {
	n := 0
	for _, p := range parts {
		n += len(p.Text)
	}
	return n
}

// unseen drops the first seen bytes of text. Parts of another kind among them
// were seen as well.
func unseen(parts []a2a.Part, seen int) []a2a.Part {
	for len(parts) > 0 && seen > 0 {
		if n := len(parts[0].Text); n > seen {
			first := parts[0]
			first.Text = first.Text[seen:]
			return append([]a2a.Part{first}, parts[1:]...)
		} else {
			seen -= n
			parts = parts[1:]
		}
	}
	return parts
}

// parts prints content: text as it is, data as a line of JSON, an address as a
// line, and of a file what it is.
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
	_, err := fmt.Fprintf(t.std.Err, "sidecar: not shown: %s (%s%s); -o json has it\n", printable(name), printable(kind), count(len(p.Raw), "byte"))
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

// lastWord prints what the agent said when it completed the task, which is a
// part of its answer: emit done TEXT, or a bare message.
func (t *transcript) lastWord() error {
	if t.asJSON {
		return nil
	}
	err := t.parts(t.std.Out, t.saidParts())
	t.end()
	return err
}

// end finishes the last line, so that what follows begins a new one.
func (t *transcript) end() {
	if t.open && !t.asJSON {
		fmt.Fprintln(t.std.Out)
		t.open = false
	}
}
