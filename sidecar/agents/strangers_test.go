package agents_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// strangers says that the agents are met as strangers: make strangers.
var strangers = flag.Bool("strangers", false, "meet the agents without their profiles")

// meeting is what became of an agent's messages.
type meeting struct {
	agent, how string
	exact      int
	took       []time.Duration
	asks       string // what became of its question
	cancels    string
	after      string // the message after the cancel
}

// TestStrangers: the known agents as if nobody had described them, beside the same with
// their own profiles: three messages, a question, a cancel, and a message after it.
func TestStrangers(t *testing.T) {
	if !*strangers {
		t.Skip("make strangers prints the table")
	}
	var table []meeting
	for _, a := range agents() {
		if *mixedAgent != "" && a.name != *mixedAgent {
			continue
		}
		for how, flags := range map[string][]string{"own": {"--no-hooks"}, "generic": {"--no-hooks", "--profile", "generic"}} {
			t.Run(a.name+"/"+how, func(t *testing.T) {
				r := start(t, a, flags...)
				r.drawn()
				m := meeting{agent: a.name, how: how}
				m.meet(t, r)
				table = append(table, m)
			})
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n| agent | profile | exact | seconds each | a question | a cancel | the message after it |\n|---|---|---|---|---|---|---|\n")
	for _, m := range table {
		fmt.Fprintf(&b, "| %s | %s | %d of 3 | %s | %s | %s | %s |\n", m.agent, m.how, m.exact, seconds(m.took), m.asks, m.cancels, m.after)
	}
	t.Log(b.String())
}

func seconds(took []time.Duration) string {
	all := make([]string, len(took))
	for i, d := range took {
		all[i] = fmt.Sprintf("%.1f", d.Seconds())
	}
	return strings.Join(all, " ")
}

// drawn waits, as a person would, until the agent has drawn something and is still.
func (r *rig) drawn() {
	for last, same := "", 0; same < 4; <-time.After(500 * time.Millisecond) {
		now := r.screen()
		if same++; now != last || strings.TrimSpace(now) == "" {
			same = 0
		}
		last = now
	}
}

// meet has the agent do all of it. What fails is a cell of the table.
func (m *meeting) meet(t *testing.T, r *rig) {
	for _, text := range []string{"hello there", "the first line\n\nthe third: wörld", "and a last one"} {
		u, exact := m.echo(t, r, text)
		if exact {
			m.exact++
		}
		m.took = append(m.took, u.ended.Sub(u.sent))
	}
	m.asks = m.question(t, r)
	m.cancels = m.cancel(t, r)
	u, exact := m.echo(t, r, "after the cancel")
	m.after = fmt.Sprintf("%s, exact %v", short(u.state), exact)
}

// echo sends a message, and reports whether the answer is exactly its echo.
func (m *meeting) echo(t *testing.T, r *rig, text string) (*turn, bool) {
	u := r.begin(t, "", text)
	err := u.follow(deadline, func() bool { return false })
	exact := err == nil && u.state == a2a.StateCompleted && strings.TrimSpace(u.text) == "ECHO: "+text
	if !exact {
		t.Logf("%q: %v, %s, %q, answer %q; the screen is:\n%s", text, err, u.state, u.says(), u.text, r.screen())
	}
	return u, exact
}

// question has it ask, and allows it once.
func (m *meeting) question(t *testing.T, r *rig) string {
	u := r.begin(t, "", "TOOL:shell touch stranger.txt"+r.asks)
	err := u.follow(deadline, func() bool { return false })
	seen := short(u.state)
	switch {
	case err != nil:
		return err.Error()
	case !u.state.Interrupted():
		t.Logf("no question: %s %q; the screen is:\n%s", u.state, u.text, r.screen())
		return "missed: " + seen
	case r.exists("stranger.txt"):
		return "ran before it was asked"
	}
	answer := "yes"
	for _, p := range u.said.Parts {
		var q question
		if p.Kind == a2a.PartData && json.Unmarshal(p.Data, &q) == nil && len(q.Options) > 0 {
			answer = q.Options[0].ID
			seen += fmt.Sprintf(", %d options", len(q.Options))
		}
	}
	if err := u.open(t, answer); err != nil {
		return seen + ", not answered: " + err.Error()
	}
	if err := u.follow(deadline, func() bool { return false }); err != nil {
		return seen + ", then " + err.Error()
	}
	if !r.exists("stranger.txt") {
		return seen + ", the answer did nothing"
	}
	return seen + ", allowed"
}

// cancel cancels a long answer.
func (m *meeting) cancel(t *testing.T, r *rig) string {
	r.model.teach("long", spread(time.Minute, lines(60, "a long answer")...))
	u := r.begin(t, "", "SAY:long please")
	_ = u.follow(5*time.Second, func() bool { return false })
	if u.state.Terminal() {
		return "it was " + short(u.state) + " before"
	}
	ctx, stop := context.WithTimeout(context.Background(), deadline)
	defer stop()
	asked := time.Now()
	task, err := r.client.Cancel(ctx, &a2a.CancelRequest{ID: u.task})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s after %.1f s, model stopped %v", short(task.Status.State), time.Since(asked).Seconds(), r.model.request(t, "SAY:long please").broken)
}

func short(s a2a.TaskState) string {
	return strings.ToLower(strings.TrimPrefix(string(s), "TASK_STATE_"))
}
