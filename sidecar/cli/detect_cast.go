package cli

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/replay"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// cast prints each change of state in a recording.
func (o *detectOptions) cast(p *profile.Profile, name string, data []byte) error {
	header, events, err := term.ReadCast(bytes.NewReader(data))
	if err != nil {
		return &exitError{code: exitFault, err: fmt.Errorf("%s: %w", name, err)}
	}
	if p == nil {
		p = agent.For(strings.Fields(header.Command))
	}
	var player *replay.Player
	var last state.Verdict
	player = replay.New(p, header, func(at time.Duration, v state.Verdict) error {
		if v.State == last.State && v.Kind == last.Kind && v.Source == last.Source && v.Rule == last.Rule && v.Failed == last.Failed {
			return nil
		}
		last = v
		return o.print(o.sighted(p, at, v, player.Screen.Snapshot()))
	})
	var end time.Duration
	for e, err := range events {
		if err != nil {
			return &exitError{code: exitFault, err: fmt.Errorf("%s: %w", name, err)}
		}
		end = e.At
		if err := player.Play(e); err != nil {
			return err
		}
	}
	return player.Until(end + 2*time.Second) // for changes that only time brings
}

// sighted returns a verdict with what else is known at that time.
func (o *detectOptions) sighted(p *profile.Profile, at time.Duration, v state.Verdict, snap term.Snapshot) sighting {
	seconds := at.Seconds()
	seen := sighting{At: &seconds, State: v.State, Kind: v.Kind, Source: v.Source, Rule: v.Rule, Confidence: v.Confidence, Message: v.Message, Profile: p.Name}
	if m, ok := p.Match(snap); ok && m.Rule == v.Rule {
		seen.Generic, seen.Hint = m.Generic, m.Hint
	}
	seen.on(p, snap)
	if v.State != profile.Asking && v.State != profile.Dialogue {
		seen.Question = nil
	}
	return seen
}
