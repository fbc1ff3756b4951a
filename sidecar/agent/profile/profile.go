package profile

import (
	"regexp"
	"time"
)

// Profile is what is known of one agent at a terminal, as data: everything in it is
// read from a JSON file whose fields have these names. A Profile is never changed
// after it was loaded and may be used by any goroutine.
type Profile struct {
	Name  string `json:"name"`
	About string `json:"about"` // what the profile was tested with
	// Unsure is what whoever wrote the profile did not see. It is for people only.
	Unsure []string `json:"unsure"`

	// Extends names the profile that this one is on top of, a built-in one or a file.
	Extends string `json:"extends"`

	// Commands are the base names of the programs that the profile is for.
	Commands []string `json:"commands"`

	// Alone says that the profile is for a command that has only flags, such as an
	// interpreter without a script.
	Alone bool `json:"alone"`

	// TUI says that the agent draws a screen: its answer is read from the screen, not
	// from the bytes.
	TUI bool `json:"tui"`

	// Hook names the agent whose hooks make this one report. "" means that only its
	// terminal can tell.
	Hook string `json:"hook"`

	Start   Start         `json:"start"`
	Dialogs []StartDialog `json:"dialogs"` // the first that fits; before questions and signs
	Asks    []Ask         `json:"questions"`
	// GenericAsks says that Asks are those of the generic profile: nothing is known of the
	// questions of this agent in particular. No file can set it.
	GenericAsks bool
	Signs       []Sign `json:"signs"` // the first that fits
	Prompt      Prompt `json:"prompt"`
	Submit      Submit `json:"submit"`

	// LinePrompt fits the last row, with the blanks at its end, while a program that
	// prints lines waits for one; nil means the generic profile's pattern.
	LinePrompt *Pattern `json:"linePrompt"`
	// ToolPrompt is how a tool call is typed; {name} and {arguments.x} are filled in.
	// "" means a line of JSON.
	ToolPrompt string `json:"toolPrompt"`

	// CommandChars begin a line which the agent would not send to its model but execute
	// itself.
	CommandChars string `json:"commandChars"`
	// CommandWords are whole messages which the agent would execute itself, such as
	// "exit".
	CommandWords []string `json:"commandWords"`
	// CommandEscapes say what to type before a message that begins with one of
	// CommandChars, so that it becomes text. If a character has no entry, the message
	// has to be refused.
	CommandEscapes map[string]string `json:"commandEscapes"`

	// Interrupt, Clear and Quit are keys, each one write: they stop the turn, empty the
	// input and end the agent. Empty means that they are not known.
	Interrupt []string `json:"interrupt"`
	Clear     []string `json:"clear"`
	Quit      []string `json:"quit"`

	// Busy says what happens to a message that is typed while the agent works: with
	// BusyQueue the agent keeps it for later; with BusyRefuse it would be lost or mixed
	// into the running turn.
	Busy string `json:"busy"`

	Answer Answer `json:"answer"`

	Timing Timing `json:"timing"`

	// Tests are what the profile has to say of recordings.
	Tests []Test `json:"tests"`
}

// The values of Profile.Busy.
const (
	BusyQueue  = "queue"
	BusyRefuse = "refuse"
)

// Start says how the agent is started.
type Start struct {
	Env   map[string]string `json:"env"` // set unless the user set them
	Flags []Flag            `json:"flags"`
	// ReadyMS is how long the first turn waits for the agent to be ready, in
	// milliseconds; 0 means the generic profile's value.
	ReadyMS int `json:"readyMs"`
	// Untypable are the ways to start the agent in a mode in which no message can be
	// typed to it.
	Untypable []Untypable `json:"untypable"`
}

// Untypable is such a mode: the agent is in it if one of Flags is given, or one of Env
// is set.
type Untypable struct {
	Flags []string `json:"flags"`
	Env   []string `json:"env"`
	// Hint tells the user what to do about it.
	Hint string `json:"hint"`
}

// Flag is something to add to the command line.
type Flag struct {
	Add []string `json:"add"`
	// Unless lists the flags that mean the same or the opposite: if one of them is
	// there (alone or before a `=`), nothing is added.
	Unless []string `json:"unless"`
	// First puts the flag right behind the program, for flags that must stand before a
	// subcommand or a prompt; otherwise it is put at the end.
	First bool `json:"first"`
	// Alone adds the flag only if no person is at the terminal.
	Alone bool `json:"alone"`
}

// StartDialog is a dialog that the agent shows before or between turns. No message may
// be typed into it.
type StartDialog struct {
	Rule string `json:"rule"`
	Look
	// Kind is "auth" if an account is missing.
	Kind string `json:"kind"`
	// Hint tells the user how to avoid it.
	Hint string `json:"hint"`
	// Dismiss are keys that close the dialog if no person is at the terminal; it is for
	// a dialog whose answer changes nothing that a person has to decide. Empty means
	// that it stays.
	Dismiss []string `json:"dismiss"`
}

// Sign is one thing on the screen that shows the state.
type Sign struct {
	Rule  string `json:"rule"`
	State State  `json:"state"`
	Kind  string `json:"kind"` // of asking and dialog: permission, question, auth
	Look
}

// Look says where to look for what. Every condition that is given must hold.
type Look struct {
	Title *Pattern `json:"title"`
	// All are patterns of which each must fit one of the last Rows rows, in any order;
	// no pattern of None may fit any of them. The last row is the last one that is not
	// blank. Rows is 8 if it is not given, and 60 at most.
	All  []Pattern `json:"all"`
	None []Pattern `json:"none"`
	Rows int       `json:"rows"`
	// Cursor fits the cursor's row up to the cursor.
	Cursor         *Pattern `json:"cursor"`
	Alternate      *bool    `json:"alternate"`
	BracketedPaste *bool    `json:"bracketedPaste"`
	CursorShown    *bool    `json:"cursorShown"`
	// Prompt says whether the input box or prompt must be there (true) or must not
	// (false); nil means that it does not matter.
	Prompt *bool `json:"prompt"`
}

// Prompt is where a message is typed.
type Prompt struct {
	// Row is its first row; the first group is what was typed. If several rows fit, the
	// lowest counts.
	Row *Pattern `json:"row"`
	// Next is a further row of it. The first group is text.
	Next *Pattern `json:"next"`
	// Above and Below are what the row over it and the row after it must look like;
	// without Below it ends with the screen's last row.
	Above *Pattern `json:"above"`
	Below *Pattern `json:"below"`
	// Cursor says that only the cursor's row is looked at, up to the cursor: the agent
	// is a line program.
	Cursor bool `json:"cursor"`
	// Up, if it is not 0, says that nothing marks the input, which is one row so far above
	// the cursor's row, with nothing in the rows between; Row then fits any text.
	Up int `json:"up"`
	// After is how many rows may follow the input at most, not counting those that fit
	// Foot; 0 means any number.
	After int       `json:"after"`
	Foot  []Pattern `json:"foot"`
	// Rows is how many of the last rows are looked at; 16 if it is not given.
	Rows int `json:"rows"`
	// Empty are texts which the agent shows while nothing is typed.
	Empty []Pattern `json:"empty"`
	// Pasted is what the agent shows instead of a long paste.
	Pasted *Pattern `json:"pasted"`
}

// Submit says how a message is typed.
type Submit struct {
	// Paste says to type the message as a bracketed paste while mode 2004 is on; without
	// that mode the brackets would become text.
	Paste bool `json:"paste"`
	// PieceRows and PieceBytes are the limits above which a paste is cut into several:
	// an agent may treat a large one as a document instead of as text. 0 means no
	// limit.
	PieceRows  int `json:"pieceRows"`
	PieceBytes int `json:"pieceBytes"`
	// EscapeFirst says to type what CommandEscapes puts before a message as keys,
	// before the paste: inside a paste that the agent shows as a word, the escape has
	// no effect.
	EscapeFirst bool `json:"escapeFirst"`
	// SettleMS is how long the row of the cursor has to be quiet after the echo, before
	// Enter, in milliseconds from 100 to 2000; 200 if it is not given.
	SettleMS int `json:"settleMs"`
	// Enter sends the message; "\r" when it is not given.
	Enter string `json:"enter"`
	// Newline is what is typed for a line break inside a message that is not pasted. ""
	// means that the agent takes one line at a time.
	Newline string `json:"newline"`
	// BlankEnds says that an empty line ends the block that a message has left open at
	// the continuation prompt.
	BlankEnds bool `json:"blankEnds"`
	// TabsToBlanks says that the agent turns the tabs of a paste into blanks.
	TabsToBlanks bool `json:"tabsToBlanks"`
}

// Settle returns SettleMS as a duration.
func (s Submit) Settle() time.Duration { return time.Duration(s.SettleMS) * time.Millisecond }

// Match is the state that a screen shows.
type Match struct {
	State State
	Kind  string // permission, question or auth; "" if it is none of them
	Rule  string // the rule that said so
	// Source is "title", "screen" or "prompt" (a prompt pattern alone).
	Source string
	// Generic says that no rule of the profile fitted, but one of the rules that hold
	// for every agent did.
	Generic bool
	// Message is the question, or the name of the dialog.
	Message string
	// Hint, of a dialog, says how to avoid it; Dismiss are keys that close it.
	Hint    string
	Dismiss []string
}

// Ask says how one kind of question looks and how it is answered.
type Ask struct {
	Rule string `json:"rule"`
	Kind string `json:"kind"` // permission or question
	Look

	// Strip fits what stands around every row, such as the sides of one frame or of
	// two: its first group is what is inside.
	Strip *Pattern `json:"strip"`
	// Text fits the row that asks; what follows up to a blank row belongs to the
	// question. If it has a group, that group is the text. Without Text, the rows right
	// above the options up to a blank one are the question.
	Text *Pattern `json:"text"`
	// Above fits the upper border of the question. What lies between it and the text,
	// and between text and options, is the detail, without the rows that fit Skip.
	Above *Pattern  `json:"above"`
	Skip  []Pattern `json:"skip"`
	// Option fits one option's row, with the groups (?P<marker>), (?P<number>) and
	// (?P<label>). The marker is not empty on the option that is chosen now; without
	// that group, colours show the chosen one. With Columns it is the one row of all
	// options, whose label group is split at two blanks; the labels have to fit one of
	// Options, and the first of them is taken for the chosen one.
	Option  Pattern `json:"option"`
	Columns bool    `json:"columns"`
	// More fits a further row of the option above it; its first group continues the
	// label. Without a group the row is a remark and is left out.
	More *Pattern `json:"more"`
	// Foot fits rows that may follow the options; no other rows may follow them.
	Foot []Pattern `json:"foot"`
	// Choose says how an option is chosen: by its "number", or with "arrows" from the
	// marker and then Enter.
	Choose string `json:"choose"`
	// Options say what labels mean; the first that fits counts.
	Options []OptionRule `json:"options"`
	// Fixed are the options of a question that lists none, such as `[y/N]` before the
	// cursor. The row of the cursor is then the text; Option, Text and the other fields
	// about rows of options are ignored.
	Fixed []FixedOption `json:"fixed"`
	// Cancel are the keys that decline any question.
	Cancel []string `json:"cancel"`
}

// The values of Ask.Choose.
const (
	ChooseNumber = "number"
	ChooseArrows = "arrows"
)

// FixedOption is an option that is not shown on the screen.
type FixedOption struct {
	Label string   `json:"label"`
	Kind  string   `json:"kind"`
	Keys  []string `json:"keys"`
}

// OptionRule says what an option with a certain label means.
type OptionRule struct {
	// Match fits the label. If the label names the key that chooses the option (a
	// letter, or esc), a group (?P<key>…) in Match is that key.
	Match Pattern `json:"match"`
	Kind  string  `json:"kind"` // allow_once, allow_always, reject_once, reject_always, other
	// Keys replace what Choose says; {number} in a key is the option's number.
	Keys []string `json:"keys"`
	// Skip leaves the option out: choosing it would only lead to something else that
	// has to be answered.
	Skip bool `json:"skip"`
}

// ReadyTimeout returns Start.ReadyMS as a duration.
func (p *Profile) ReadyTimeout() time.Duration {
	if p.Start.ReadyMS == 0 {
		p = Generic()
	}
	return time.Duration(p.Start.ReadyMS) * time.Millisecond
}

// PromptPattern returns LinePrompt as a regular expression.
func (p *Profile) PromptPattern() *regexp.Regexp {
	if p.LinePrompt == nil {
		p = Generic()
	}
	return p.LinePrompt.re
}
