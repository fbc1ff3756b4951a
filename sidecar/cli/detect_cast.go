package cli

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/replay"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// castView prints a recording.
type castView struct {
	o       *detectOptions
	profile *profile.Profile
	name    string
	header  term.CastHeader
	events  iter.Seq2[term.CastEvent, error]
	player  *replay.Player
	last    state.Verdict
}

// cast prints the changes of state in a recording, or its screens, or its answers.
func (o *detectOptions) cast(p *profile.Profile, name string, data []byte, times []time.Duration) error {
	header, events, err := term.ReadCast(bytes.NewReader(data))
	if err != nil {
		return &exitError{code: exitFault, err: fmt.Errorf("%s: %w", name, err)}
	}
	if p == nil {
		p = agent.For(strings.Fields(header.Command))
	}
	v := &castView{o: o, profile: p, name: name, header: header, events: events}
	switch {
	case o.answer:
		return v.answers()
	case len(times) > 0:
		return v.printAt(times)
	}
	return v.changes()
}

// changes prints each change of state. With --screens it also prints markers and Enters.
func (v *castView) changes() error {
	v.player = replay.New(v.profile, v.header, v.onVerdict)
	keyboard := replay.NewKeyboard(v.profile)
	var end time.Duration
	for e, err := range v.events {
		if err != nil {
			return v.fault(err)
		}
		end = e.At
		if event := eventOf(e, keyboard); event != "" && v.o.screens {
			if err := v.player.Until(e.At); err != nil {
				return err
			}
			seen := v.sighted(e.At, v.last)
			seen.Event = event
			if err := v.o.print(seen); err != nil {
				return err
			}
		}
		if err := v.player.Play(e); err != nil {
			return err
		}
	}
	return v.player.Until(end + replay.Rest) // some changes come without an event
}

func (v *castView) onVerdict(at time.Duration, now state.Verdict) error {
	last := v.last
	if now.State == last.State && now.Kind == last.Kind && now.Source == last.Source && now.Rule == last.Rule && now.Failed == last.Failed {
		return nil
	}
	v.last = now
	return v.o.print(v.sighted(at, now))
}

// eventOf names an event that --screens prints: a marker or an Enter that sends.
func eventOf(e term.CastEvent, keyboard *replay.Keyboard) string {
	switch {
	case e.Kind == term.CastMarker && e.Data == "":
		return "marker"
	case e.Kind == term.CastMarker:
		return "marker " + strconv.Quote(e.Data)
	case keyboard.Sends(e):
		return "Enter is typed"
	}
	return ""
}

// printAt prints the screens at these times.
func (v *castView) printAt(times []time.Duration) error {
	v.player = replay.New(v.profile, v.header, func(time.Duration, state.Verdict) error { return nil })
	shown := 0
	end, err := v.player.PlayTo(times, v.events, func(i int, now state.Verdict) error {
		shown++
		return v.o.print(v.sighted(times[i], now))
	})
	switch {
	case err != nil:
		return v.fault(err)
	case shown < len(times):
		return &exitError{code: exitFailed, err: fmt.Errorf("%s: there is no second %s; the recording ends at %.3f", v.name, seconds(times[shown]), end.Seconds())}
	}
	return nil
}

func (v *castView) fault(err error) error {
	return &exitError{code: exitFault, err: fmt.Errorf("%s: %w", v.name, err)}
}

// sighted returns a verdict with everything else that is known at that time.
func (v *castView) sighted(at time.Duration, now state.Verdict) sighting {
	seconds, snap := at.Seconds(), v.player.Screen.Snapshot()
	seen := sighting{
		At: &seconds, State: now.State, Kind: now.Kind, Source: now.Source, Rule: now.Rule, Confidence: now.Confidence, Message: now.Message, Profile: v.profile.Name,
	}
	if m, ok := v.profile.Match(snap); ok && m.Rule == now.Rule {
		seen.Generic, seen.Hint = m.Generic, m.Hint
	}
	seen.on(v.profile, snap)
	if now.State != profile.Asking && now.State != profile.Dialogue {
		seen.Question = nil
	}
	if v.o.screens || len(v.o.at) > 0 {
		seen.Screen = showScreen(snap)
		if m, ok := v.profile.Match(snap); ok && (m.State != now.State || m.Rule != now.Rule) {
			seen.Shows = &shows{State: m.State, Rule: m.Rule}
		}
	}
	return seen
}

// times returns the times of --at in ascending order.
func (o *detectOptions) times(command string) ([]time.Duration, error) {
	if o.answer && (o.screens || len(o.at) > 0) || o.screens && len(o.at) > 0 {
		return nil, usagef(command, "give only one of --screens, --at and --answer")
	}
	var times []time.Duration
	for _, at := range o.at {
		n, err := strconv.ParseFloat(at, 64)
		if err != nil || !(n >= 0 && n < 1e8) {
			return nil, usagef(command, "--at=%q is not a time; give seconds from the start, such as 12.3", at)
		}
		times = append(times, time.Duration(n*float64(time.Second)))
	}
	slices.Sort(times)
	return times, nil
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
