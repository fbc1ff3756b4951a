package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// Difference is one thing that a test of a profile expects and the profile says otherwise.
type Difference struct {
	At     time.Duration
	What   string // what differs: state, rule, input, question, options, or "answer 1" and so on
	Got    string
	Want   string
	Screen term.Snapshot // at that time; zero if there is none
}

// Check runs one test of a profile. dir is the folder of the profile's file. The error says
// why the test cannot be run: its recording cannot be read.
func Check(p *profile.Profile, dir string, test profile.Test) ([]Difference, error) {
	file := test.Recording
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	found, err := checkStates(p, file, test.States)
	if err != nil || test.Answers == nil {
		return found, err
	}
	more, err := checkAnswers(p, file, test.Answers)
	return append(found, more...), err
}

// recording opens a recording and calls play with its header and events.
func recording(file string, play func(term.CastHeader, events) error) error {
	f, err := os.Open(file)
	if reason, is := errors.AsType[*fs.PathError](err); is {
		return fmt.Errorf("recording %s cannot be read: %w", file, reason.Err)
	}
	defer f.Close() // nothing was written
	header, all, err := term.ReadCast(f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := play(header, all); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func checkStates(p *profile.Profile, file string, states []profile.TestState) (found []Difference, err error) {
	states = slices.Clone(states)
	slices.SortStableFunc(states, func(a, b profile.TestState) int { return cmp.Compare(a.At, b.At) })
	times := make([]time.Duration, len(states))
	for i, s := range states {
		times[i] = at(s)
	}
	err = recording(file, func(header term.CastHeader, all events) error {
		player, reached := New(p, header, func(time.Duration, state.Verdict) error { return nil }), 0
		end, err := player.PlayTo(times, all, func(i int, v state.Verdict) error {
			reached++
			found = append(found, compare(p, states[i], v, player.Screen.Snapshot())...)
			return nil
		})
		for _, s := range states[reached:] {
			found = append(found, Difference{At: at(s), What: "state", Got: fmt.Sprintf("(the recording ends at %.3f)", end.Seconds()), Want: string(s.State)})
		}
		return err
	})
	return found, err
}

func at(s profile.TestState) time.Duration { return time.Duration(s.At * float64(time.Second)) }

// compare returns what differs from the expected state at one time.
func compare(p *profile.Profile, want profile.TestState, v state.Verdict, s term.Snapshot) (found []Difference) {
	differs := func(what, wanted, got string) {
		if wanted != got {
			found = append(found, Difference{At: at(want), What: what, Got: got, Want: wanted, Screen: s})
		}
	}
	differs("state", string(want.State), string(v.State))
	if want.Rule != "" {
		differs("rule", want.Rule, v.Rule)
	}
	if want.Input != nil {
		input, ok := p.Input(s)
		if !ok {
			input = "(there is no input)"
		}
		differs("input", *want.Input, input)
	}
	if want.Question == "" && want.Options == nil {
		return found
	}
	q, ok := p.Question(s)
	if !ok {
		q = &profile.Question{Text: "(there is no question)"}
	}
	if want.Question != "" {
		differs("question", want.Question, q.Text)
	}
	if want.Options != nil {
		labels := []string{}
		for _, o := range q.Options {
			labels = append(labels, o.Label)
		}
		differs("options", fmt.Sprintf("%q", want.Options), fmt.Sprintf("%q", labels))
	}
	return found
}

func checkAnswers(p *profile.Profile, file string, want []string) (found []Difference, err error) {
	err = recording(file, func(header term.CastHeader, all events) error {
		finder, err := follow(p, header, all, nil)
		turns := finder.turns
		for i := range max(len(turns), len(want)) {
			d := Difference{What: "answer " + strconv.Itoa(i+1), Got: "(there is no such message)", Want: "(no further message)"}
			if i < len(want) {
				d.Want = want[i]
			}
			if i < len(turns) {
				d.At, d.Got, d.Screen = turns[i].Until, turns[i].Answer, finder.screens[i]
			}
			if d.Got != d.Want {
				found = append(found, d)
			}
		}
		return err
	})
	return found, err
}
