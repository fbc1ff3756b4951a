package call

import (
	"context"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

// newOwner makes the channel's owner for a call: what the tool's program emits goes
// into the call's task.
func (p *Pipeline) newOwner(inv *Invocation) *job.Owner { return p.jobs.NewOwner(inv.emits()) }

// emits says how what the tool says over the channel gets into the call's task, whether a
// program of its own executes it or the agent.
func (i *Invocation) emits() job.Work {
	return job.Work{Task: i.task, Reserved: reserved, Annotate: i.annotate, Clean: i.withoutSecrets, Refuse: refuse, Asks: i.question}
}

// question tells whoever waits for the call that an answer is needed. While the question is
// open, the call and those that it is nested in hold nothing.
func (i *Invocation) question() (answered func(ctx context.Context)) {
	i.waits()
	return i.place.Park()
}

// reserved reports whether an artifact's id is one of the call's own: a tool must not
// forge its envelope.
func reserved(id string) bool { return id == resultID || id == stderrID || id == binaryID }

// OwnArtifact reports whether an artifact of a call's task is one of those from which its envelope
// is made: the envelope itself, or what a program printed to its standard error.
func OwnArtifact(id string) bool { return id == resultID || id == stderrID }

// annotate adds the toolCall object to a status that the tool emits. The tool cannot
// replace what the call says there.
func (i *Invocation) annotate(m *a2a.Message, meta a2a.Metadata) a2a.Metadata {
	if m != nil {
		m.Metadata, _ = cleanMetadata(i.secrets, own(m.Metadata))
		m.Extensions = slices.Concat([]string{ExtensionURI}, m.Extensions)
	}
	shown, _ := cleanMetadata(i.secrets, own(meta))
	return i.toolCall(statusExecuting, nil).With(shown)
}

// withoutSecrets returns parts that the tool emits as others may see them.
func (i *Invocation) withoutSecrets(parts []a2a.Part) []a2a.Part {
	clean, _ := cleanParts(i.secrets, parts)
	return clean
}

// refuse returns why a done cannot be the result of a call, nil if it can.
func refuse(d channel.Done) error {
	switch {
	case d.Message:
		return channel.ErrInvalidParams.With("message: a tool call is answered by its envelope, not by a bare message")
	case d.State != "" && !d.State.Terminal():
		return channel.ErrInvalidParams.With("state: a tool call ends as completed, failed, rejected or canceled")
	}
	return nil
}
