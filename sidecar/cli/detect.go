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

const detectText = `Apply a profile to a screen or recording and print the detected state and the
rule that decided it. No agent is started. FILE is an asciicast (version 2 or 3, as
run --record writes it) or the text of a screen; - is stdin. For a recording, every
change of state is printed with its time. For the text of a screen, the cursor is
assumed to be after the last row, and a blank at the end of a prompt does not matter.

--screens adds the screen to each change, and prints markers and each Enter too.
--at prints only the screens at these times. --answer prints the messages that were
typed in the recording, each with the answer that a client would have got. Without
a profile it says how the answer was read: "lines" are what the program printed
until the next message, "learnt" is what two turns have shown alike, and "screen"
is what this turn alone has shown, which is not certain.`

const detectExamples = `sidecar detect --profile claude session.cast
sidecar detect --profile ./mine.json ready.screen
sidecar detect --at 12.3 --at 14 session.cast
sidecar detect --answer -o json session.cast
tmux capture-pane -p | sidecar detect --profile codex --title '⠋ work' -
sidecar detect -o json session.cast | jq 'select(.state == "asking")'`

const detectExits = `0    a rule matched, or what was asked for was printed
1    no rule matches the screen, the profile is wrong, or the recording has no such
     time or no messages
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
		Short:       "Show what a profile makes of a screen or recording",
		Long:        detectText,
		Example:     detectExamples,
		Annotations: map[string]string{exitCodes: detectExits},
		Args:        between(1, 1, "FILE"),
	}
	c.Flags().StringVarP(&o.profile, "profile", "p", "", "`NAME|FILE` of the profile to apply (by the recording's command, else generic)")
	c.Flags().StringVar(&o.title, "title", "", "`TEXT` to assume as the window's title, with the text of a screen")
	c.Flags().BoolVar(&o.screens, "screens", false, "print the screen at each change, marker and Enter of a recording")
	c.Flags().StringSliceVar(&o.at, "at", nil, "`SECONDS` from the start of a recording: print that screen (1.5,2; repeatable)")
	c.Flags().BoolVar(&o.answer, "answer", false, "print the answer to each message that was typed in a recording")
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
		return &exitError{code: exitFault, err: fmt.Errorf("%s: the text of a screen has neither times nor messages", name),
			hint: "--screens, --at and --answer need a recording, such as sidecar run --record FILE.cast makes"}
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

// load returns the profile that --profile names, nil without it.
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

// inputMax is the largest file that is read, in bytes: a recording of a long day fits.
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

// isCast reports whether the input is a recording and not the text of a screen. The file's
// name decides, or else its first line.
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

// screen returns a snapshot for the text of a screen.
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
		snap.CursorCol++ // after a prompt comes a blank, which the text may lack
	}
	return snap
}

// sighting is what is known about an agent at one moment.
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
	Event      string        `json:"event,omitempty"` // a marker or an Enter
	Shows      *shows        `json:"shows,omitempty"`
	Screen     *shownScreen  `json:"screen,omitempty"`
}

// shows is what the screen alone says, if that differs from the detected state.
type shows struct {
	State profile.State `json:"state"`
	Rule  string        `json:"rule"`
}

// asked is the question on a screen.
type asked struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"`
	Rule    string   `json:"rule"`
	Text    string   `json:"text"`
	Detail  string   `json:"detail,omitempty"`
	Options []option `json:"options"`
	// Axis is the direction in which a marker moves over the options, down or across, and
	// Marked is the ID of the option that it is on. Both are empty if keys choose the options;
	// Marked is also empty if the screen does not show which option is marked.
	Axis   string `json:"axis,omitempty"`
	Marked string `json:"marked,omitempty"`
}

// option is one answer. Keys is empty if only the marker chooses the option.
type option struct {
	ID    string   `json:"id"`
	Label string   `json:"label"`
	Kind  string   `json:"kind"`
	Keys  []string `json:"keys"`
}

// see returns what the rules say about a screen.
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
	seen.Question = &asked{ID: q.ID, Kind: q.Kind, Rule: q.Rule, Text: q.Text, Detail: q.Detail, Options: []option{}, Axis: string(q.Axis)}
	if q.Axis != "" && q.Marked >= 0 && q.Marked < len(q.Options) {
		seen.Question.Marked = q.Options[q.Marked].ID
	}
	for _, op := range q.Options {
		keys := append([]string{}, op.Keys...)
		if op.Type != "" {
			keys = []string{op.Type, "\r"}
		}
		seen.Question.Options = append(seen.Question.Options, option{ID: op.ID, Label: op.Label, Kind: op.Kind, Keys: keys})
	}
}
