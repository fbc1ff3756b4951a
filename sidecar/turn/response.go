package turn

import (
	"bytes"
	"context"
	"errors"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

const (
	// maxBinary is how much of an answer that is not text is kept, in bytes.
	maxBinary = 8 << 20
	// maxPiece is the longest piece of text that is published at once, in bytes.
	maxPiece = 32 << 10
)

// response writes an agent's answer into an artifact. Text is published as it
// comes; only the bytes of an unfinished rune wait for the rest. If the first 8 KiB
// are not text, the whole answer replaces what was published, as one raw part at
// the end. A response is used by one goroutine.
type response struct {
	ctx  context.Context
	task *task.Task
	id   string

	head   []byte        // the first bytes, until it is known whether they are text
	rune   []byte        // an unfinished rune
	begun  bool          // something was published
	answer []a2a.Part    // parts to be published after the text
	extras driver.Extras // of the whole artifact, published with its last piece
	binary bool
	raw    []byte
	total  int64 // how many bytes were written
	bad    int64 // how many of them were not UTF-8
	err    error // why publishing is of no use any more; nil: it is
}

var _ driver.Out = (*response)(nil)

// newResponse returns a response for the artifact of that name. Output that comes
// after the task was asked to stop is still written.
func newResponse(t *task.Task, name string) *response {
	return &response{ctx: context.WithoutCancel(t.Context()), task: t, id: name}
}

// Write implements driver.Out.
func (r *response) Write(chunk []byte) {
	if r.total < text.Sniffed && !r.binary {
		r.look(chunk)
	}
	r.total += int64(len(chunk))
	if r.binary {
		r.raw = append(r.raw, chunk[:min(len(chunk), maxBinary-len(r.raw))]...)
		return
	}
	for len(chunk) > 0 {
		n := min(len(chunk), maxPiece)
		r.text(chunk[:n])
		chunk = chunk[n:]
	}
}

// look decides by the first bytes whether the answer is text.
func (r *response) look(chunk []byte) {
	r.head = append(r.head, chunk[:min(len(chunk), text.Sniffed-len(r.head))]...)
	if !text.BeginsText(r.head) {
		r.becomeBinary()
	}
}

// becomeBinary keeps what has come so far for the one raw part.
func (r *response) becomeBinary() {
	r.binary, r.raw = true, append(r.raw, r.head[:min(int64(len(r.head)), r.total)]...)
}

// text publishes the complete runes of a piece.
func (r *response) text(piece []byte) {
	if len(r.rune) > 0 {
		piece = append(r.rune, piece...)
	}
	n := len(piece) - text.Unfinished(piece)
	r.publish(r.valid(piece[:n]))
	r.rune = append([]byte(nil), piece[n:]...)
}

// valid replaces each byte that is not UTF-8 with U+FFFD and counts it.
func (r *response) valid(p []byte) string {
	if utf8.Valid(p) {
		return string(p)
	}
	var b bytes.Buffer
	for len(p) > 0 {
		c, n := utf8.DecodeRune(p)
		if c == utf8.RuneError && n == 1 {
			r.bad++
		}
		b.WriteRune(c)
		p = p[n:]
	}
	return b.String()
}

// Part implements driver.Out. A part of an answer that is not text comes after it.
func (r *response) Part(p a2a.Part) {
	if r.binary {
		r.answer = append(r.answer, p)
		return
	}
	if len(r.rune) > 0 {
		r.publish(r.valid(r.rune))
		r.rune = nil
	}
	r.publishParts([]a2a.Part{p}, false)
}

// Replace implements driver.Out: the artifact starts again with this text.
func (r *response) Replace(text []byte) {
	r.head, r.rune, r.raw, r.binary = nil, nil, nil, false
	r.total, r.bad, r.begun = 0, 0, false
	if len(text) == 0 {
		r.publishParts([]a2a.Part{a2a.TextPart("")}, false)
		return
	}
	r.Write(text)
}

// add takes the parts of the agent's answer, which come after everything that was
// written, and the extras of the answer.
func (r *response) add(parts []a2a.Part, e driver.Extras) {
	r.answer = append(r.answer, parts...)
	r.extras = e
}

// Close ends the artifact, if anything was said.
func (r *response) Close() {
	if len(r.rune) > 0 && !r.binary && r.total <= text.Sniffed {
		r.becomeBinary()
	}
	if r.binary {
		r.publishRaw()
		return
	}
	if len(r.rune) > 0 {
		r.publish(r.valid(r.rune))
		r.rune = nil
	}
	switch {
	case len(r.answer) > 0:
		r.publishParts(r.answer, true)
	case r.begun:
		r.publishParts([]a2a.Part{a2a.TextPart("")}, true)
	}
}

func (r *response) publish(text string) {
	if text != "" {
		r.publishParts([]a2a.Part{a2a.TextPart(text)}, false)
	}
}

func (r *response) publishParts(parts []a2a.Part, last bool) {
	if r.err != nil {
		return
	}
	u := a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: r.id, Parts: parts}, Append: r.begun, LastChunk: last}
	if !r.begun {
		u.Artifact.Name = r.id
	}
	if last && r.bad > 0 {
		u.Artifact.Metadata = a2a.Metadata{"invalidBytes": driver.JSON(r.bad)}
	}
	if last {
		r.extras.OnArtifact(&u.Artifact)
	}
	r.begun = true
	r.send(u)
}

// publishRaw publishes the whole answer in place of what was published.
func (r *response) publishRaw() {
	u := a2a.ArtifactUpdate{LastChunk: true, Artifact: a2a.Artifact{
		ID: r.id, Name: r.id,
		Parts: append([]a2a.Part{{Kind: a2a.PartRaw, Raw: r.raw, MediaType: "application/octet-stream"}}, r.answer...),
	}}
	if r.total > int64(len(r.raw)) {
		u.Artifact.Metadata = a2a.Metadata{"truncated": driver.JSON(true), "totalBytes": driver.JSON(r.total)}
	}
	r.extras.OnArtifact(&u.Artifact)
	r.send(u)
}

// send publishes an update. It remembers if the task has finished: then nobody will
// ever read the rest.
func (r *response) send(u a2a.ArtifactUpdate) {
	if err := r.task.Artifact(r.ctx, u); errors.Is(err, task.ErrFinished) {
		r.err = err
	}
}
