package call

import (
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/filesearch"
)

// said is what a tool says: its secrets are taken out, its head is kept, at most as much as
// the limit says, and the rest is counted, and written to a side file if there is a place
// for one. Memory stays bounded, and the tool waits for nobody but the disk. Only one
// goroutine may use it at a time.
type said struct {
	limit   outputLimit
	secrets *output.Redactor // nil: nothing is taken out
	stream  *output.Stream   // what takes it out
	side    *side            // nil: the rest is not kept

	head   []byte
	lines  int                // how many more the head may have
	found  filesearch.Entries // the same for a search
	full   bool               // the head takes no more
	total  int64              // after redaction
	binary bool               // there are NULs, or bytes that are not UTF-8, near the beginning
	shown  int                // how much of head was handed out as live content
}

func newOutput(limit int64) *said { return newSaid(outputLimit{bytes: limit}, nil, nil) }

func newSaid(limit outputLimit, secrets *output.Redactor, s *side) *said {
	return &said{limit: limit, lines: limit.entries, found: filesearch.Entries{Left: limit.entries}, secrets: secrets, stream: secrets.Stream(), side: s}
}

// write takes a chunk and returns the text that may be shown now: the new part of the
// head, up to the last whole rune, or nothing after the output proved to be binary.
func (o *said) write(chunk []byte) (live []byte) { return o.add(o.stream.Next(chunk)) }

// end takes what was held back because it might have become a secret, and returns what
// may be shown of it. Nothing may be written after that.
func (o *said) end() (live []byte) {
	if o == nil {
		return nil
	}
	return o.add(o.stream.Close())
}

// add takes a chunk that has no secrets.
func (o *said) add(chunk []byte) (live []byte) {
	if len(chunk) == 0 {
		return nil
	}
	o.total += int64(len(chunk))
	kept := o.fit(chunk)
	o.head = append(o.head, kept...)
	if rest := chunk[len(kept):]; len(rest) > 0 && o.side != nil {
		o.side.begin(o.head)
		o.side.write(rest)
	}
	if o.sniff(); o.binary {
		return nil
	}
	end := len(o.head) - text.Unfinished(o.head)
	if end <= o.shown {
		return nil
	}
	live = o.head[o.shown:end]
	o.shown = end
	return live
}

// fit returns the beginning of the chunk that the head takes.
func (o *said) fit(chunk []byte) []byte {
	if o.full {
		return nil
	}
	kept := chunk[:min(int64(len(chunk)), o.limit.bytes-int64(len(o.head)))]
	switch {
	case o.limit.search:
		kept = o.found.Cut(kept)
	case o.limit.entries > 0:
		kept = cutLines(kept, &o.lines)
	}
	o.full = len(kept) < len(chunk)
	return kept
}

func (o *said) sniff() {
	if o.binary || o.shown >= text.Sniffed {
		return
	}
	first := o.head[o.shown:min(len(o.head), text.Sniffed)]
	o.binary = !text.BeginsText(first)
}

// truncated reports whether the output exceeded the limit.
func (o *said) truncated() bool { return o.total > int64(len(o.head)) }

// takes reports whether any more of the output would be kept.
func (o *said) takes() bool { return !o.truncated() || o.side.takes() }

// text returns the head, cut at a rune boundary if the output was longer.
func (o *said) text() string {
	b := o.head
	if o.truncated() {
		b = b[:len(b)-text.Unfinished(b)]
	}
	return string(b)
}

// redacted reports whether a secret was taken out.
func (o *said) redacted() bool { return o.stream.Found() }

// replace puts content, which is whole, in the place of what was said until now.
func (o *said) replace(content []byte) {
	o.side.discard()
	*o = *newSaid(o.limit, o.secrets, o.side)
	o.write(content)
	o.end()
}
