package agents_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// governFlag chooses the rows of TestGovern: all of them is make govern.
var governFlag = flag.String("govern", "claude-2.1.328/pty,codex/oneshot", "rows of TestGovern as agent/mode, or all")

// governTools is a manifest of a tool that runs.
const governTools = `[{"name":"acme.say","description":"Says a text again.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},
	 "x-sidecar":{"surface":"always","bridge":{"exec":{"command":["/bin/echo","said again:","{text}"],"output":"text"}}}}]`

// governRules allow work with files and commands, ask before one file is written and deny another.
const governRules = `{"rules":[{"permission":"read","action":"allow"},{"permission":"edit","action":"allow"},{"permission":"bash","action":"allow"},
	{"permission":"write","pointer":"/file_path","pattern":"asks.txt","action":"ask","reason":"the test wants it"},{"permission":"acme.*","action":"allow"},
	{"permission":"write","pointer":"/file_path","pattern":"denied.txt","action":"deny","reason":"the test forbids it"},{"permission":"write","action":"allow"}]}`

// governedRow is a row of the table that make govern prints.
type governedRow struct {
	agent, mode                                                        string
	offered, works, denied, asked, refused, text, guarded, kept, audit bool
	control                                                            string // what ran without govern
}

func (g *governedRow) String() string {
	mark := func(ok bool) string {
		if ok {
			return "yes"
		}
		return "NO"
	}
	return fmt.Sprintf("%-15s %-8s %-10s %-21s %-11s %-15s %-12s %-16s %-14s %-17s %-8s %s", g.agent, g.mode, mark(g.offered), mark(g.works), mark(g.denied), mark(g.asked),
		mark(g.refused), mark(g.text), mark(g.guarded), mark(g.kept), mark(g.audit), g.control)
}

// chosen reports whether a mode of the agent is to be driven.
func (a *governedAgent) chosen(mode string) bool {
	return (*mixedAgent == "" || a.name == *mixedAgent) && (*governFlag == "all" || slices.Contains(strings.Split(*governFlag, ","), a.name+"/"+mode))
}

// TestGovern: a governed agent offers its model no tools but ours, reads, edits and runs commands by them alone and
// under the rules, refuses its own, takes messages as text, and runs nothing of what is planted in its workspace.
// Without --govern it does run that.
func TestGovern(t *testing.T) {
	var rows []*governedRow
	for _, a := range governedAgents() {
		modes := slices.DeleteFunc(slices.Clone(a.modes), func(mode string) bool { return !a.chosen(mode) })
		if len(modes) == 0 {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			own := habits(t, agentNamed(t, a.name))
			ran := runsPlanted(t, a)
			for _, mode := range modes {
				t.Run(mode, func(t *testing.T) {
					row := &governedRow{agent: a.name, mode: mode, control: ran}
					rows = append(rows, row)
					govern(t, a, row, own)
				})
			}
		})
	}
	table := []string{"agent           mode     only ours  reads, edits, runs    denied one  after approval  own refused  message is text  write of hook  nothing planted   audited  what of it ran without --govern",
		"                                                                                                                       denied         ran"}
	for _, row := range rows {
		table = append(table, row.String())
	}
	t.Logf("governed agents:\n%s", strings.Join(table, "\n"))
}

func govern(t *testing.T, a governedAgent, row *governedRow, own habit) {
	of := agentNamed(t, a.name)
	r := awkward(t, of)
	root := filepath.Dir(r.work)
	audit := filepath.Join(root, "audit")
	if row.mode == "oneshot" {
		r.args = of.oneshot
	}
	r.flags = []string{"--mode", row.mode, "--govern", "--policy", toolFile(t, "policy.json", governRules), "--ask-timeout", deadline.String(), "--audit", audit}
	before := snapshot(t, r.home)
	r.launch(t)
	t.Cleanup(func() { r.stop(t) })
	r.untilGoverned(t, row.mode)

	row.offered = r.onlyOurs(t, a)
	row.works = r.works(t)
	row.denied = r.isDenied(t)
	row.asked = r.isAsked(t)
	row.refused = r.refusesOwn(t, a, filepath.Join(root, "own-ran"))
	row.text = r.readsNothing(t)
	row.text = r.takesText(t, row.mode) && row.text
	row.guarded = r.guardsHook(t, a)
	r.governedStatus(t)
	row.kept = r.runsNothing(t, a, row.mode) && !r.changedSettings(t, before, own)
	r.leave(t, row.mode)
	row.audit = r.isRecorded(t, readAll(t, audit))
}
