package acp

import (
	"fmt"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// maxReason is how much of an agent's words for a failure is passed on, in bytes.
const maxReason = 2 << 10

// report is what the updates of a turn have told of its cost.
type report struct {
	spent float64 // what the conversation had cost before
	base  bool    // spent is known
	total float64 // what it costs now
	told  bool    // total is known
}

// cost returns what the conversation has cost, as far as it is known.
func (r *report) cost() (usd float64, known bool) {
	if r.told {
		return r.total, true
	}
	return r.spent, r.base
}

// turn returns what the turn has cost, nil if it is not known.
func (r *report) turn() *float64 {
	if !r.told || !r.base || r.total < r.spent {
		return nil
	}
	cost := r.total - r.spent
	return &cost
}

// failed returns how a turn ended whose prompt was answered with an error.
func (a *connection) failed(t *turn, fault *rpc.Error) peer.Ending {
	if fault.Code == rpc.InvalidRequest { // perhaps of ours, for an answer that is too long: the agent may work on
		a.tellCancel(t)
	}
	e := peer.Ending{Reason: text.Shorten(fault.Error(), maxReason), Canceled: t.stopped()}
	if fault.Code == authRequired && !e.Canceled {
		e.Reason = a.needsLogin(fault.Error()).Error()
	}
	e.Usage.Cost = t.report.turn()
	return e
}

// ending reads the answer to a prompt.
func (a *connection) ending(t *turn, f fields) peer.Ending {
	e := peer.Ending{Usage: a.usage(f)}
	e.Usage.Cost = t.report.turn()
	if e.Reason = failure(f); e.Reason != "" && !t.stopped() {
		return e
	}
	e.Reason = ""
	switch reason := f.text("stopReason"); sdk.StopReason(reason) {
	case sdk.StopReasonEndTurn:
		e.OK = true
	case sdk.StopReasonMaxTokens, sdk.StopReasonMaxTurnRequests:
		e.OK, e.Reason = true, reason
	case sdk.StopReasonCancelled:
		e.Canceled, e.Reason = true, "the agent stopped the turn"
	case sdk.StopReasonRefusal:
		e.Reason = "the agent refuses to go on"
	case "":
		e.Reason = "the agent has ended the turn without saying how"
	default:
		e.Reason = fmt.Sprintf("the agent has ended the turn for a reason that is not known: %s", text.Quote(reason, maxName))
	}
	return e
}

// usage finds what a turn has cost, wherever an agent puts it: in the answer's usage or below its _meta.
func (a *connection) usage(f fields) (u peer.Usage) {
	meta := f.object("_meta")
	quota := meta.object("quota")
	for _, at := range []fields{f.object("usage"), meta.object("usage"), quota.object("token_count"), meta.object("token_count")} {
		in, haveIn := at.count("inputTokens", "input_tokens")
		out, haveOut := at.count("outputTokens", "output_tokens")
		if haveIn || haveOut {
			u.AddTokens(in, out)
			break
		}
	}
	if models := quota.list("model_usage"); len(models) > 0 {
		u.Model = name(object(models[0]).text("model"))
		return u
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if o := a.chosen.find(keyModel); o != nil {
		u.Model = o.Value
	}
	return u
}
