package cli

import (
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

const modesWorth = `--mode auto takes the mode that is named here; pty for every other program, and where a
person is at the terminal. --mode acp takes every program that speaks
the Agent Client Protocol on its standard input and output, --mode stream the agents
that have a stream of their own, and --mode pty everything: sidecar help drivers.`

// examineModes says which agents with a mode of their own are here.
func examineModes(environ []string) checkup {
	s := checkup{Name: "modes", Worth: modesWorth}
	for _, a := range agent.Known() {
		for _, program := range append([]string{a.Name}, a.Adapters...) {
			if len(a.Ways) == 0 {
				continue
			}
			if _, err := proc.LookPath(program, "", environ); err == nil {
				s.Facts = append(s.Facts, bestMode(program))
			}
		}
	}
	return s
}

// bestMode says which mode suits a program best.
func bestMode(program string) fact {
	mode, why := agent.Best([]string{program})
	if mode == "" {
		mode, why = config.ModePTY, "no better mode is known"
	}
	return fact{Name: program, OK: true, Text: "--mode " + mode + ": " + why}
}
