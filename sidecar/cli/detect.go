package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

const detectText = `Show a screen or a recording to a profile, and print what it takes the agent to be
doing and which rule said so: to write and try a profile without the agent. FILE
is an asciicast (version 2 or 3, as run --record writes it), or the text of a screen;
- is stdin. Of a recording every change of state is printed with its time. Of a
screen that is only text, the cursor is taken to stand after the last row; a blank
at the end of a prompt may be there or not.

With --screens each change comes with its screen, and so do markers and each Enter.
With --at only the screens at these seconds are printed. With --answer the messages
that were typed in the recording are printed, each with the answer that a client
would have got for it.`

const detectExamples = `sidecar detect --profile claude session.cast
sidecar detect --profile ./mine.json ready.screen
sidecar detect --at 12.3 --at 14 session.cast
sidecar detect --answer -o json session.cast
tmux capture-pane -p | sidecar detect --profile codex --title '⠋ work' -
sidecar detect -o json session.cast | jq 'select(.state == "asking")'`

const detectExits = `0    a rule fitted
1    no rule fitted the screen, the profile is wrong, or the recording has no such time
     and no messages
2    the command line is wrong
125  a file cannot be read`

// detectOptions are the flags of detect.
type detectOptions struct {
	std     Std
	json    bool
	profile string
	title   string
	screens bool
	at      []string
	answer  bool
}

func newDetect(std Std) *cobra.Command {
	o := &detectOptions{std: std}
	c := &cobra.Command{
		Use:         "detect FILE",
		Short:       "Tell what an agent on a screen is doing",
		Long:        detectText,
		Example:     detectExamples,
		Annotations: map[string]string{exitCodes: detectExits},
		Args:        between(1, 1, "FILE"),
	}
	c.Flags().StringVarP(&o.profile, "profile", "p", "", "`NAME|FILE` the profile (that of the recording's command, else generic)")
	c.Flags().StringVar(&o.title, "title", "", "`TEXT` the window's title, with a screen")
	c.Flags().BoolVar(&o.screens, "screens", false, "of a recording: print the screen with each change, marker and Enter")
	c.Flags().StringSliceVar(&o.at, "at", nil, "`SECONDS` of a recording: print the screen at that time (also 1.5,2; repeatable)")
	c.Flags().BoolVar(&o.answer, "answer", false, "of a recording: print what would be answered to each message typed in it")
	c.Flags().BoolVar(&o.json, "json", false, "the same as -o json")
	outputFlag(c, func(c *cobra.Command, args []string, asJSON bool) error {
		o.json = o.json || asJSON
		return o.run(c.CommandPath(), args[0])
	})
	return c
}

func (o *detectOptions) run(command, file string) error {
	times, err := o.times(command)
	if err != nil {
		return err
	}
	p, err := o.load(command)
	if err != nil {
		return err
	}
	name, data, err := readInput(o.std, file)
	if err != nil {
		return &exitError{code: exitFault, err: fmt.Errorf("%s: %s", name, reasonOf(err))}
	}
	if isCast(name, data) {
		return o.cast(p, name, data, times)
	}
	if o.screens || o.answer || len(times) > 0 {
		return &exitError{code: exitFault, err: fmt.Errorf("%s: the text of a screen has no times and no messages", name),
			hint: "--screens, --at and --answer are for recordings: sidecar run --record FILE.cast makes one"}
	}
	if p == nil {
		p = profile.Generic()
	}
	seen := o.see(p, o.screen(string(data)))
	if err := o.print(seen); err != nil {
		return err
	}
	if seen.State == profile.Unknown {
		return silent(exitFailed)
	}
	return nil
}

// load returns the requested profile, nil for none.
func (o *detectOptions) load(command string) (*profile.Profile, error) {
	if o.profile == "" {
		return nil, nil
	}
	p, err := agent.Load(o.profile)
	if err != nil {
		return nil, profileError(command, err)
	}
	return p, nil
}

// profileError is the error of a profile that cannot be loaded.
func profileError(command string, err error) error {
	var faults jsontree.Faults
	switch {
	case errors.As(err, &faults):
		return &exitError{code: exitFailed, err: err}
	case errors.Is(err, agent.ErrUnknown):
		return usagef(command, "%w", err)
	}
	return &exitError{code: exitFault, err: err}
}

// inputMax bounds what is read, in bytes: a recording of a long day.
const inputMax = 256 << 20

func readInput(std Std, file string) (name string, data []byte, err error) {
	in := std.In
	if name = file; file == "-" {
		name = "stdin"
	} else {
		f, err := os.Open(file)
		if err != nil {
			return name, nil, err
		}
		defer f.Close() // nothing was written
		in = f
	}
	data, err = io.ReadAll(io.LimitReader(in, inputMax+1))
	if err == nil && len(data) > inputMax {
		err = fmt.Errorf("it is larger than %d MiB", inputMax>>20)
	}
	return name, data, err
}

// isCast reports whether the input is a recording and not a screen: by the file's
// name, otherwise by its first line.
func isCast(name string, data []byte) bool {
	switch filepath.Ext(name) {
	case ".cast":
		return true
	case ".screen", ".txt":
		return false
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	var header struct{ Version int }
	return json.Unmarshal(line, &header) == nil && header.Version > 0
}

// screen returns a snapshot of a screen of which only the text is known.
func (o *detectOptions) screen(text string) term.Snapshot {
	rows := strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	rows = rows[max(0, len(rows)-term.MaxRows):]
	s := term.New(term.Options{Cols: term.MaxCols, Rows: max(len(rows), term.DefaultRows), Answers: term.AnswerNone})
	if o.title != "" {
		fmt.Fprintf(s, "\x1b]2;%s\a", printable(o.title))
	}
	for i, row := range rows {
		if i > 0 {
			io.WriteString(s, "\r\n") // a screen accepts everything
		}
		io.WriteString(s, printable(strings.TrimRight(row, " ")))
	}
	snap := s.Snapshot()
	if snap.CursorCol > 0 {
		snap.CursorCol++ // the blank behind a prompt, which the text has or not
	}
	return snap
}

// sighting is what is known of an agent at one moment. Its JSON is used in tests of
// profiles.
type sighting struct {
	At         *float64      `json:"at,omitempty"` // seconds, in a recording
	State      profile.State `json:"state"`
	Kind       string        `json:"kind,omitempty"`
	Source     string        `json:"source,omitempty"`
	Rule       string        `json:"rule,omitempty"`
	Generic    bool          `json:"generic,omitempty"`
	Confidence float64       `json:"confidence,omitempty"`
	Message    string        `json:"message,omitempty"`
	Hint       string        `json:"hint,omitempty"`
	Input      *string       `json:"input,omitempty"` // nil: there is no input on the screen
	Question   *asked        `json:"question,omitempty"`
	Profile    string        `json:"profile"`
	Event      string        `json:"event,omitempty"` // what else happened: a marker, or an Enter
	Shows      *shows        `json:"shows,omitempty"`
	Screen     *shownScreen  `json:"screen,omitempty"`
}

// shows is what the screen alone says, where that is not (yet) what is believed.
type shows struct {
	State profile.State `json:"state"`
	Rule  string        `json:"rule"`
}

// asked is a question as a profile reads it.
type asked struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"`
	Rule    string   `json:"rule"`
	Text    string   `json:"text"`
	Detail  string   `json:"detail,omitempty"`
	Options []option `json:"options"`
}

type option struct {
	ID    string   `json:"id"`
	Label string   `json:"label"`
	Kind  string   `json:"kind"`
	Keys  []string `json:"keys"`
}

// see returns what the rules say of a screen.
func (o *detectOptions) see(p *profile.Profile, s term.Snapshot) sighting {
	seen := sighting{State: profile.Unknown, Profile: p.Name}
	if m, ok := p.Match(s); ok {
		seen.State, seen.Kind, seen.Source, seen.Rule = m.State, m.Kind, m.Source, m.Rule
		seen.Generic, seen.Message, seen.Hint = m.Generic, m.Message, m.Hint
	}
	seen.on(p, s)
	return seen
}

// on adds what is on the screen: the input and a question.
func (seen *sighting) on(p *profile.Profile, s term.Snapshot) {
	if text, ok := p.Input(s); ok {
		seen.Input = &text
	}
	q, ok := p.Question(s)
	if !ok {
		return
	}
	seen.Question = &asked{ID: q.ID, Kind: q.Kind, Rule: q.Rule, Text: q.Text, Detail: q.Detail}
	for _, op := range q.Options {
		keys := op.Keys
		if op.Type != "" {
			keys = []string{op.Type, "\r"}
		}
		seen.Question.Options = append(seen.Question.Options, option{ID: op.ID, Label: op.Label, Kind: op.Kind, Keys: keys})
	}
}
