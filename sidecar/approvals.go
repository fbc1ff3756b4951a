package sidecar

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// approvalsPath is where approvals are listed and answered.
const approvalsPath = "/a2a/approvals"

// lateAnswers is how many approvals that have ended are remembered, so that an answer that
// comes too late is told why.
const lateAnswers = 1000

// rememberedAnswers is how many answers "always" are remembered.
const rememberedAnswers = 10_000

// openApprovals makes the registry of the calls that wait for a person, which is served from
// the start on, and the session that remembers what they answer.
func (s *sidecar) openApprovals(context.Context) error {
	c := &s.Config
	s.session = policy.NewSession(rememberedAnswers)
	s.approvals = approval.NewRegistry(approval.Limits{Max: c.OpenApprovals(), Share: c.CallerApprovals(), Remembered: lateAnswers, Timeout: c.AskTimeout})
	return nil
}

// remember keeps an answer "always".
func (s *sidecar) remember(q policy.Request) {
	if !s.session.Remember(q.ContextID, q.Key) {
		s.Log.Warn("an answer always cannot be remembered: too many are, and the next such call asks again", "tool", q.Tool.Name, "context", q.ContextID)
	}
}

// sessionEnded drops what is kept for a session: the answers "always", the outputs of its calls
// that have ended, and what its calls of our own tools share; processes that its calls have left running are
// stopped. "" is a session of all contexts.
func (s *sidecar) sessionEnded(contextID string) {
	s.outputs.Load().SessionEnded(contextID)
	if calls := s.ending.Load(); calls != nil {
		calls.SessionEnded(contextID)
	}
	if contextID == "" {
		s.session.ForgetAll()
		s.toolSessions.EndAll()
		return
	}
	s.session.Forget(contextID)
	s.toolSessions.End(contextID)
}

// contextGone drops what is kept for a context of which no task is kept any more, as sessionEnded does: it may be another
// caller's from now on.
func (s *sidecar) contextGone(owner, contextID string) {
	if calls := s.ending.Load(); calls != nil {
		calls.ContextGone(owner, contextID)
	}
	s.session.Forget(contextID)
	s.toolSessions.End(contextID)
}

// outsider returns an error for a request that comes from the agent, or may: from one of our
// own processes, or with the channel's token of one.
func outsider(ctx context.Context) error {
	if grantOf(ctx) != nil {
		return gate.NotAllowed("whoever has the agent's token may not answer what it asks")
	}
	return gate.Outsider(ctx)
}

// by returns who gives an answer, or refuses the agent and what it has started.
func (s *sidecar) by(ctx context.Context, caller string) (approval.By, error) {
	if err := outsider(ctx); err != nil {
		return approval.By{}, err
	}
	return approval.By{Caller: caller, Person: caller != "" && slices.Contains(s.Config.Operators, caller) || gate.Kin(ctx)}, nil
}

// serveApprovals answers GET /a2a/approvals: the open ones that the caller may answer.
func (s *sidecar) serveApprovals(w http.ResponseWriter, r *http.Request, id server.Identity) error {
	by, err := s.by(r.Context(), id.Caller)
	if err != nil {
		return err
	}
	list := approval.List{Approvals: []*approval.Document{}}
	for _, a := range s.approvals.List(by) {
		list.Approvals = append(list.Approvals, a.Brief())
	}
	return writeJSON(w, list)
}

// serveApproval answers GET and POST /a2a/approvals/{id}.
func (s *sidecar) serveApproval(w http.ResponseWriter, r *http.Request, id server.Identity) error {
	by, err := s.by(r.Context(), id.Caller)
	if err != nil {
		return err
	}
	a, err := s.approvals.Get(by, strings.TrimPrefix(r.URL.Path, approvalsPath+"/"))
	if err != nil {
		return err
	}
	if r.Method != http.MethodPost {
		return writeJSON(w, a.Document())
	}
	reply, err := s.answerOf(r, a)
	if err != nil {
		return err
	}
	if err := s.approvals.Answer(r.Context(), by, a.ID(), reply); err != nil {
		return err
	}
	s.Log.Info("approval answered", "approval", a.ID(), "task", a.Subject().TaskID, "tool", a.Subject().Tool, "option", string(reply.Option), "caller", id.Caller)
	return writeJSON(w, approval.Reply{ID: a.ID(), Digest: a.Digest(), Option: reply.Option})
}

// answerOf reads the answer in a request's body.
func (s *sidecar) answerOf(r *http.Request, a *approval.Approval) (approval.Reply, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return approval.Reply{}, err
	}
	reply, err := approval.DecodeReply(body)
	if err == nil && reply.ID != "" && reply.ID != a.ID() {
		err = a2a.ErrInvalidParams.With("id: the path names approval %s", a.ID()).At("id")
	}
	return reply, err
}

// writeJSON answers with a value that nobody may keep.
func writeJSON(w http.ResponseWriter, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, err = w.Write(body)
	return err
}

// replies refuses a message that answers an approval which is not open, or not the
// caller's to give: it learns which of them, whatever became of the task.
func (h *handler) replies(ctx context.Context, caller string, m *a2a.Message) error {
	reply, found, err := approval.ReadReply(m)
	if !found {
		return nil
	}
	if own := outsider(ctx); own != nil {
		return own
	}
	if err == nil {
		_, err = h.approvals.Get(approval.By{Caller: caller}, reply.ID)
	}
	return err
}

// tellPerson tells the person whose terminal the agent has that a call of the agent's
// waits which belongs to no turn: by the terminal's bell and title, and by one line in the
// log.
func (s *sidecar) tellPerson(a *approval.Approval) (done func()) {
	answer := "sidecar approve " + a.ID()
	s.Log.Warn("a call of the agent's waits for an approval", "tool", a.Subject().Tool, "call", a.Subject().CallID, "approval", a.ID(), "answer", answer)
	ended := make(chan struct{})
	if p := s.attached.Load(); p != nil {
		s.alerts.Go(func() {
			undo := p.Alert("sidecar: " + a.Subject().Tool + " waits for your yes: " + answer)
			<-ended
			undo()
		})
	}
	return func() { close(ended) }
}
