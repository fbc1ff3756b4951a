package term

// EventKind is the kind of an [Event].
type EventKind int

const (
	// EventTitle reports the window title (OSC 0, 2), even if it is the same as before. Text is
	// the title without control characters, at most 1 KiB.
	EventTitle EventKind = iota + 1
	// EventBell reports a BEL outside of a string.
	EventBell
	// EventStatus reports the program's status (OSC 7501), in Status.
	EventStatus
	// EventMark reports a mark of a shell or REPL (OSC 133, 633). Text is "A" (the prompt
	// begins), "B" (the prompt has ended), "C" (the command runs) or "D" (the command has ended
	// with Code, which is -1 if the mark has no code).
	EventMark
	// EventNotify reports a notification (OSC 9, 777, 99). Text is its title and body, joined
	// with a newline if there are both, at most 4 KiB. Code is the number of the OSC.
	EventNotify
	// EventProgress reports progress (OSC 9;4). Code is the state (0 none, 1 normal, 2 error, 3
	// indeterminate, 4 paused). Percent is the value, -1 if there is none.
	EventProgress
	// EventBracketedPaste reports that the program has switched mode 2004 on (Code is 1) or off
	// (Code is 0), even if the mode was so before.
	EventBracketedPaste
	// EventAlternate reports that the alternate screen was entered (Code is 1) or left (Code is
	// 0).
	EventAlternate
	// EventGivenUp reports that the model was given up because a Write took over 250 ms: the
	// screen is empty, and as many bytes as Code were neither drawn nor made text of.
	EventGivenUp
)

// Event is something that a program tells in addition to its text.
type Event struct {
	Kind    EventKind
	Text    string
	Code    int
	Percent int
	Status  Status
}

// Status is a report of OSC 7501. A field that was not sent is "" or -1.
type Status struct {
	State    string // idle, working, blocked, done, error, clear
	Kind     string // only with state blocked: permission, question, auth
	Progress int    // 0..100, or -1
	ID, App  string // ID "" is the root record, the only one that decides a task
	Title    string // decoded
	Msg      string // decoded
}
