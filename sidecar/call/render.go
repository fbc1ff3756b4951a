package call

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/escape"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// view is how a result is shown in one place. Each view is made from the result alone:
// none is made from another, and none from the envelope.
type view func(r *result, tool string) string

// views are the ways to show a result, by their keys in the metadata of the artifact that
// holds it.
func views() []struct {
	key  string
	make view
} {
	return []struct {
		key  string
		make view
	}{{"title", title}, {"summary", summary}, {"preview", preview}, {"transcript", transcript}}
}

const (
	previewLimit    = 240     // bytes of a preview, which is kept with the task
	transcriptLimit = 2 << 10 // bytes of what a transcript is searched by
)

// inline returns the result as text, for a place where it stands among other text: what
// the tool said or, if there is nothing, why.
func inline(r *result, _ string) string {
	var said string
	switch {
	case r.truncated && json.Unmarshal(r.data, &struct{ Head *string }{&said}) == nil && said != "":
	case json.Unmarshal(r.data, &said) == nil && r.data != nil:
	default:
		said = string(r.data)
	}
	return orText(said, r.text)
}

// title is the heading of a card.
func title(r *result, tool string) string {
	if r.outcome.Case == Final {
		return tool
	}
	return tool + ": " + strings.ReplaceAll(r.outcome.String(), "_", " ")
}

// summary says in one line of a card what came back.
func summary(r *result, _ string) string {
	if !r.outcome.OK() {
		return oneLineOf(r.text, previewLimit)
	}
	words := fmt.Sprintf("%d bytes", len(r.data))
	for _, note := range []struct {
		holds bool
		says  string
	}{
		{r.outcome.Reason != "", "stopped: " + strings.ReplaceAll(string(r.outcome.Reason), "_", " ")},
		{r.truncated && r.path != "", "the head, all of it is in a file"},
		{r.truncated && r.path == "", "the head"},
		{r.redacted, "without its secrets"},
		{len(r.artifacts) > 0, fmt.Sprintf("artifacts: %d", len(r.artifacts))},
	} {
		if note.holds {
			words += ", " + note.says
		}
	}
	return words
}

// preview is the beginning on one line, for lists of what is kept.
func preview(r *result, tool string) string { return oneLineOf(inline(r, tool), previewLimit) }

// transcript is the line by which a transcript is searched.
func transcript(r *result, tool string) string {
	return oneLineOf(tool+" "+r.outcome.String()+" "+inline(r, tool), transcriptLimit)
}

// oneLineOf returns at most about n bytes of a text on one line, without what a terminal
// obeys or hides.
func oneLineOf(s string, n int) string {
	head := text.Cut(s, 2*n) // most of it is shown: white space is little
	line := strings.Join(strings.Fields(text.Strip(escape.Strip(head))), " ")
	return cutText(line, n)
}

// rendered returns the metadata by which the artifact of a result can be shown.
func (r *result) rendered(tool string) a2a.Metadata {
	b := []byte{'{'}
	for i, v := range views() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, quote(v.key)...), ':'), quote(v.make(r, tool))...)
	}
	return a2a.Metadata{ExtensionURI: append(b, '}')}
}
