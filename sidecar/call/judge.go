package call

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

// binaryID is the id of the artifact that an output becomes if it cannot be JSON.
const binaryID = "output"

// judge returns the result of an execution.
func (e *execution) judge(inv *Invocation) *result {
	if e.out == nil {
		e.out = newOutput(0)
	}
	r := e.verdict(inv)
	if e.done != nil && e.stopped == nil {
		r.metadata, r.extensions = own(e.done.Metadata), e.done.Extensions
	}
	r.stderr = e.stderr
	r.artifacts, r.changes = append(r.artifacts, e.artifacts...), e.changes
	r.redacted = r.redacted || e.redacted || e.out.redacted()
	r.clean(inv.secrets)
	e.fit(r, inv)
	r.keep(inv, e.out.side)
	return r.flagged()
}

// keep keeps the side file of a result that was cut.
func (r *result) keep(inv *Invocation, s *side) {
	if !r.truncated {
		s.discard()
		return
	}
	media := "text/plain; charset=utf-8"
	if r.outcome.Case == Artifact {
		media = r.media
	}
	if r.path = s.keep(media); r.path != "" && inv.p.opts.OutputPath != "" {
		r.url = inv.p.opts.OutputPath + inv.task.ID()
	}
}

// flagged gives a result that is final so far the outcome that its flags ask for.
func (r *result) flagged() *result {
	switch {
	case r.outcome.Case != Final:
	case r.truncated:
		r.outcome.Case = Truncated
	case r.redacted:
		r.outcome.Case = Redacted
	}
	return r
}

// octets is the media type of bytes of which nothing is known.
const octets = "application/octet-stream"

// verdict returns the result: a stop beats what the tool declared, and that beats how
// the tool ended.
func (e *execution) verdict(inv *Invocation) *result {
	switch {
	case e.synthetic != "":
		return &result{outcome: Outcome{Case: Synthetic}, data: quote(string(e.synthetic))}
	case e.stopped != nil:
		return e.partial()
	case e.done != nil:
		return e.declared(inv)
	case e.failure != nil:
		return e.said(e.failure)
	}
	return e.success(inv)
}

// partial returns the result of a call that was stopped: what the tool had said so
// far. A drain is the exception: if the sidecar goes away, the call has failed.
func (e *execution) partial() *result {
	r := stopped(e.stopped)
	if e.out.total == 0 && e.structured == nil {
		return r
	}
	if r.outcome.Case != Failed {
		r.outcome = Outcome{Case: Partial, Reason: r.outcome.Case}
	}
	if e.structured != nil {
		return e.withJSON(r)
	}
	return e.said(r)
}

// declared returns the result that the tool gave over the channel.
func (e *execution) declared(inv *Invocation) *result {
	switch e.done.State {
	case a2a.StateFailed:
		return e.said(failed(orText(e.done.Text, "the tool says that it failed")))
	case a2a.StateRejected:
		return e.said(ended(Rejected, orText(e.done.Text, "the tool refused the call")))
	case a2a.StateCanceled:
		return e.said(ended(Canceled, orText(e.done.Text, "the tool canceled the call")))
	}
	switch data := doneData(e.done); {
	case data != nil:
		e.structured = data
	case e.done.Text != "":
		e.format = "text"
		e.out.replace([]byte(e.done.Text))
	}
	return e.success(inv)
}

// doneData returns the parts of a done as JSON: the data of a single data part,
// otherwise the parts as in A2A 1.0; nil if there are none.
func doneData(d *channel.Done) json.RawMessage {
	switch {
	case len(d.Parts) == 0:
		return nil
	case len(d.Parts) == 1 && d.Parts[0].Kind == a2a.PartData:
		return d.Parts[0].Data
	}
	var m struct {
		Parts json.RawMessage `json:"parts"`
	}
	if json.Unmarshal(codec.EncodeMessage(nil, &a2a.Message{Role: a2a.RoleAgent, Parts: d.Parts}), &m) != nil {
		return nil
	}
	return m.Parts
}

// success returns the result of a call whose tool ended well.
func (e *execution) success(inv *Invocation) *result {
	r := &result{outcome: Outcome{Case: Final}}
	switch {
	case e.structured != nil:
		e.withJSON(r)
	case e.out.binary && e.format != "json":
		return e.binary(r)
	case e.out.truncated():
		e.said(r)
	default:
		r = e.whole(r)
	}
	if r.outcome.Case == Final && !r.truncated && !e.out.redacted() && !r.redacted && inv.tool.OutputSchema != nil {
		if err := inv.snapshot.ValidateOutput(context.WithoutCancel(inv.task.Context()), inv.tool.Name, r.data); err != nil {
			r.outcome.Case, r.text = Failed, "the output breaks the tool's outputSchema: "+strings.TrimPrefix(err.Error(), "invalid arguments: ")
		}
	}
	return r
}

// whole puts a complete text output into the result, in the tool's format.
func (e *execution) whole(r *result) *result {
	if e.format != "text" {
		if r.data = oneLine(new(bytes.Buffer), e.out.head); r.data != nil {
			return r
		}
	}
	r.data = quote(string(e.out.head))
	if e.format == "json" && !e.out.redacted() {
		r.outcome.Case, r.text = Failed, "the output is not JSON as declared: "+syntax(e.out.head)
	}
	return r
}

// said puts the output, or its head, into the result as text.
func (e *execution) said(r *result) *result {
	if e.out.total == 0 {
		return r
	}
	r.data, r.truncated = quote(e.out.text()), e.out.truncated()
	if r.truncated {
		r.data = head(r.data)
	}
	return r
}

// binary makes an artifact of bytes that are not text.
func (e *execution) binary(r *result) *result {
	r.outcome.Case, r.truncated = Artifact, e.out.truncated()
	media := orText(e.media, octets)
	r.media = media
	a := a2a.Artifact{ID: binaryID, Name: binaryID, Parts: []a2a.Part{{
		Kind: a2a.PartRaw, Raw: e.out.head, MediaType: media,
	}}}
	if r.truncated {
		a.Metadata = truncatedAt(e.out.total)
	}
	r.artifacts = append(r.artifacts, a2a.ArtifactUpdate{Artifact: a, LastChunk: true})
	r.data = json.RawMessage(`{"artifact_id":"` + binaryID + `","media_type":` + string(quote(media)) + `,"bytes":` +
		strconv.FormatInt(e.out.total, 10) + `}`)
	return r
}

// withJSON puts a result that is JSON already into r. If it is longer than the limit, r
// gets only the head of its text, and the side file has all of it.
func (e *execution) withJSON(r *result) *result {
	whole := oneLine(new(bytes.Buffer), e.structured)
	if whole == nil {
		r.outcome, r.text = Outcome{Case: Failed}, "the tool's result is not JSON: "+syntax(e.structured)
		return r
	}
	whole, r.redacted = cleanJSON(e.out.secrets, whole)
	kept := e.out.limit.cut(whole)
	if len(kept) == len(whole) {
		r.data = whole
		return r
	}
	r.data, r.truncated = head(quote(string(kept))), true
	r.aside(e.out.side, whole)
	return r
}

// aside puts all of what is cut off into the side file.
func (r *result) aside(s *side, whole []byte) {
	if s == nil {
		return
	}
	s.discard()
	if s.begin(whole); s.full != "" {
		r.outcome, r.text = Outcome{Case: Partial, Reason: TooLarge}, s.full.Error()
	}
}

// head returns the data of a result that was cut off.
func head(text []byte) json.RawMessage {
	return append(append([]byte(`{"head":`), text...), '}')
}

func truncatedAt(total int64) a2a.Metadata {
	return a2a.Metadata{"truncated": json.RawMessage("true"), "totalBytes": strconv.AppendInt(nil, total, 10)}
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// reasonLimit is the most bytes of an output that become the reason of a failure.
const reasonLimit = 2 << 10

// exitText returns how a command ended, with the last part of its stderr.
func exitText(exit string, stderr *job.Stderr) string {
	said := stderr.Reason()
	switch {
	case said == "":
		return exit
	case exit == "":
		return said
	}
	return fmt.Sprintf("%s: %s", exit, said)
}
