package profile

import (
	"regexp"
	"time"
)

// Profile is what is known of one agent at a terminal, as data: everything
// in it is read from a JSON file whose fields have these names. A Profile is
// never changed after it was loaded and may be used by any goroutine.
type Profile struct {
	Name  string `json:"name"`
	About string `json:"about"` // what it was proven with

	// Commands are the base names of the programs it is for.
	Commands []string `json:"commands"`

	// Alone: it is for a command that is given nothing but flags, as that of an
	// interpreter without a script.
	Alone bool `json:"alone"`

	// TUI says that the agent draws a screen: its answer is read from the
	// screen, not from the bytes.
	TUI bool `json:"tui"`

	// Hook names the agent whose hooks make this one report. "": only its
	// terminal tells.
	Hook string `json:"hook"`

	Start   Start         `json:"start"`
	Dialogs []StartDialog `json:"dialogs"` // the first that fits; before questions and signs
	Asks    []Ask         `json:"questions"`
	Signs   []Sign        `json:"signs"` // the first that fits
	Prompt  Prompt        `json:"prompt"`
	Submit  Submit        `json:"submit"`

	// LinePrompt fits the last row, with the blanks at its end, while a program
	// that prints lines waits for one; nil is the generic profile's.
	LinePrompt *Pattern `json:"linePrompt"`
	// ToolPrompt is how a tool call is typed, with {name} and {arguments.x} filled
	// in; "" is a line of JSON.
	ToolPrompt string `json:"toolPrompt"`

	// CommandChars begin a line which the agent would not send to its model
	// but do itself.
	CommandChars string `json:"commandChars"`
	// CommandWords are whole messages which it would do itself, as "exit".
	CommandWords []string `json:"commandWords"`
	// CommandEscapes say what, typed before a message that begins with one of
	// CommandChars, makes it text. Where there is nothing for a character the
	// message has to be refused.
	CommandEscapes map[string]string `json:"commandEscapes"`

	// Interrupt, Clear and Quit are keys, each a write of its own: to stop
	// the turn, to empty the input, to end the agent. Empty: not known.
	Interrupt []string `json:"interrupt"`
	Clear     []string `json:"clear"`
	Quit      []string `json:"quit"`

	// Busy says what becomes of a message that is typed while the agent
	// works: BusyQueue, the agent keeps it for later; BusyRefuse, it would be
	// lost or mixed into the running turn.
	Busy string `json:"busy"`

	Answer Answer `json:"answer"`
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
	// milliseconds; 0 is as of the generic profile.
	ReadyMS int `json:"readyMs"`
	// Untypable are the ways to start it in a mode in which no message can be
	// typed to it.
	Untypable []Untypable `json:"untypable"`
}

// Untypable is such a mode: one of Flags is given, or one of Env is set.
type Untypable struct {
	Flags []string `json:"flags"`
	Env   []string `json:"env"`
	// Hint tells the user what to do about it.
	Hint string `json:"hint"`
}

// Flag is something to add to the command line.
type Flag struct {
	Add []string `json:"add"`
	// Unless lists the flags that say the same or the opposite: when one of
	// them is there (alone or before a `=`), nothing is added.
	Unless []string `json:"unless"`
	// First puts it right behind the program, for what must stand before a
	// subcommand or a prompt; else it is put at the end.
	First bool `json:"first"`
	// Alone adds it only where nobody sits at the terminal.
	Alone bool `json:"alone"`
}

// StartDialog is something the agent puts in the way before or between turns and
// that no message may be typed into.
type StartDialog struct {
	Rule string `json:"rule"`
	Look
	// Kind is "auth" when an account is what is missing.
	Kind string `json:"kind"`
	// Hint tells the user how to avoid it.
	Hint string `json:"hint"`
	// Dismiss are keys that close it where nobody sits at the terminal: of one
	// whose answer changes nothing that anybody has to decide. Empty: it stays.
	Dismiss []string `json:"dismiss"`
}

// Sign is one thing on the screen that tells the state.
type Sign struct {
	Rule  string `json:"rule"`
	State State  `json:"state"`
	Kind  string `json:"kind"` // of asking and dialog: permission, question, auth
	Look
}

// Look is where to look for what. All that is given must hold.
type Look struct {
	Title *Pattern `json:"title"`
	// All are patterns of which each must fit one of the last Rows rows, in
	// any order; None must fit none of them. The last row is the last one
	// with something in it. Rows is 8 when it is not given, and 60 at most.
	All  []Pattern `json:"all"`
	None []Pattern `json:"none"`
	Rows int       `json:"rows"`
	// Cursor fits the cursor's row up to the cursor.
	Cursor         *Pattern `json:"cursor"`
	Alternate      *bool    `json:"alternate"`
	BracketedPaste *bool    `json:"bracketedPaste"`
	CursorShown    *bool    `json:"cursorShown"`
	// Prompt asks for the input box or prompt to be there (true) or not.
	Prompt *bool `json:"prompt"`
}

// Prompt is where a message is typed.
type Prompt struct {
	// Row is its first row; the first group is what was typed. Of several
	// rows that fit the lowest counts.
	Row *Pattern `json:"row"`
	// Next is a further row of it. The first group is text.
	Next *Pattern `json:"next"`
	// Above and Below are what the row over it and the row after it must look
	// like; without Below it ends with the screen's last row.
	Above *Pattern `json:"above"`
	Below *Pattern `json:"below"`
	// Cursor says that the cursor's row is the only one looked at, up to the
	// cursor: a line program.
	Cursor bool `json:"cursor"`
	// After is how many rows may follow the input at most, besides those that fit
	// Foot; 0 is any number.
	After int       `json:"after"`
	Foot  []Pattern `json:"foot"`
	// Rows is how many of the last rows are looked at: 16 if not given.
	Rows int `json:"rows"`
	// Empty are texts which the agent shows while nothing is typed.
	Empty []Pattern `json:"empty"`
	// Pasted is what the agent shows instead of a long paste.
	Pasted *Pattern `json:"pasted"`
}

// Submit is how a message is typed.
type Submit struct {
	// Paste says to type it as a bracketed paste while mode 2004 is on;
	// without that mode the brackets would become text.
	Paste bool `json:"paste"`
	// PieceRows and PieceBytes cut a paste into several when it has more: an
	// agent may treat a large one as a document instead of as text. 0 is any.
	PieceRows  int `json:"pieceRows"`
	PieceBytes int `json:"pieceBytes"`
	// EscapeFirst says to type what CommandEscapes puts before a message as keys,
	// before the paste: as a part of one that the agent shows as a word it counts
	// for nothing.
	EscapeFirst bool `json:"escapeFirst"`
	// SettleMS is how long the row of the cursor has to be quiet after the
	// echo, before Enter: milliseconds, 100 to 2000; 200 when it is not given.
	SettleMS int `json:"settleMs"`
	// Enter sends the message; "\r" when it is not given.
	Enter string `json:"enter"`
	// Newline is what a line break inside a message is typed as when it is
	// not pasted. "" when the agent takes one line at a time.
	Newline string `json:"newline"`
	// BlankEnds says that an empty line ends the block that a message has left
	// open at the continuation prompt.
	BlankEnds bool `json:"blankEnds"`
	// TabsToBlanks says that the agent makes the tabs of a paste blanks.
	TabsToBlanks bool `json:"tabsToBlanks"`
}

// Settle is SettleMS as a duration.
func (s Submit) Settle() time.Duration { return time.Duration(s.SettleMS) * time.Millisecond }

// Match is what a screen tells of the state.
type Match struct {
	State State
	Kind  string // permission, question, auth; "" when it is none of them
	Rule  string // which rule said so
	// Source is "title", "screen" or "prompt" (a prompt pattern alone).
	Source string
	// Generic says that no rule of the profile fitted, but one of those that
	// hold for every agent.
	Generic bool
	// Message is the question, or the name of the dialog.
	Message string
	// Hint, of a dialog, says how to avoid it; Dismiss are keys that close it.
	Hint    string
	Dismiss []string
}

// Ask is how one kind of question looks and how it is answered.
type Ask struct {
	Rule string `json:"rule"`
	Kind string `json:"kind"` // permission or question
	Look

	// Strip is what stands around every row, as the sides of a frame or of two:
	// its first group is what is inside.
	Strip *Pattern `json:"strip"`
	// Text is the row that asks, and with it what follows up to a blank row; if it
	// has a group, that is the text. Without Text, the rows right above the
	// options up to a blank one are the question.
	Text *Pattern `json:"text"`
	// Above is the upper border of the question. What lies between it and the
	// text, and between text and options, is the detail, without the rows that
	// fit Skip.
	Above *Pattern  `json:"above"`
	Skip  []Pattern `json:"skip"`
	// Option is one option's row, with the groups (?P<marker>) (not empty on the
	// one chosen now; without the group that is shown by colours), (?P<number>)
	// and (?P<label>). With Columns it is the one row of all options, whose label
	// group is split at two blanks; the labels have to fit one of Options, and
	// the first of them is taken for the chosen one.
	Option  Pattern `json:"option"`
	Columns bool    `json:"columns"`
	// More is a further row of the option above it; its first group goes on
	// with the label, without a group it is a remark and left out.
	More *Pattern `json:"more"`
	// Foot are rows that may follow the options; nothing else may.
	Foot []Pattern `json:"foot"`
	// Choose is how an option is chosen: by its "number", or with "arrows"
	// from the marker and Enter.
	Choose string `json:"choose"`
	// Options say what labels mean; the first that fits counts.
	Options []OptionRule `json:"options"`
	// Fixed are the options of a question that lists none, as `[y/N]` before the
	// cursor does not: the row of the cursor is the text, and Option, Text and
	// what else is about rows of options is not looked at.
	Fixed []FixedOption `json:"fixed"`
	// Cancel are the keys that decline whatever is asked.
	Cancel []string `json:"cancel"`
}

// The values of Ask.Choose.
const (
	ChooseNumber = "number"
	ChooseArrows = "arrows"
)

// FixedOption is an option that does not stand on the screen.
type FixedOption struct {
	Label string   `json:"label"`
	Kind  string   `json:"kind"`
	Keys  []string `json:"keys"`
}

// OptionRule says what an option with such a label means.
type OptionRule struct {
	// Match fits the label. A group (?P<key>…) in it is the key that chooses the
	// option, where the label names it: a letter, or esc.
	Match Pattern `json:"match"`
	Kind  string  `json:"kind"` // allow_once, allow_always, reject_once, reject_always, other
	// Keys are instead of what Choose says; {number} in one is the option's.
	Keys []string `json:"keys"`
	// Skip leaves the option out: choosing it would only lead to something else
	// that has to be answered.
	Skip bool `json:"skip"`
}

// ReadyTimeout is Start.ReadyMS as a duration.
func (p *Profile) ReadyTimeout() time.Duration {
	if p.Start.ReadyMS == 0 {
		p = Generic()
	}
	return time.Duration(p.Start.ReadyMS) * time.Millisecond
}

// PromptPattern is LinePrompt as a regular expression.
func (p *Profile) PromptPattern() *regexp.Regexp {
	if p.LinePrompt == nil {
		p = Generic()
	}
	return p.LinePrompt.re
}
