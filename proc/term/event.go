package term

// EventKind says what an [Event] tells.
type EventKind int

const (
	// EventTitle: Text is the new window title (OSC 0, 2), cleaned of control
	// characters, at most 1 KiB. Told also when it is the same again.
	EventTitle EventKind = iota + 1
	// EventBell is BEL outside of a string.
	EventBell
	// EventStatus is a report of the program's status (OSC 7501), in Status.
	EventStatus
	// EventMark is a mark of a shell or REPL (OSC 133, 633): Text is "A" (the
	// prompt begins), "B" (it has ended), "C" (the command runs) or "D" (it has
	// ended with Code, -1 when it does not say).
	EventMark
	// EventNotify is a notification (OSC 9, 777, 99): Text is its title and body,
	// joined with a newline when there are both, at most 4 KiB. Code is the OSC.
	EventNotify
	// EventProgress is OSC 9;4: Code is its state (0 none, 1 normal, 2 error, 3
	// indeterminate, 4 paused), Percent its value, -1 when it does not say.
	EventProgress
	// EventBracketedPaste: Code is 1 when the program switched mode 2004 on, 0
	// when off. Told also when it was so before.
	EventBracketedPaste
	// EventAlternate: Code is 1 when the alternate screen was entered, 0 when
	// it was left.
	EventAlternate
)

// Event is what a program tells beside its text.
type Event struct {
	Kind    EventKind
	Text    string
	Code    int
	Percent int
	Status  Status
}

// Status is a report of OSC 7501. Fields that were not sent are "" and -1.
type Status struct {
	State    string // idle, working, blocked, done, error, clear
	Kind     string // with blocked: permission, question, auth
	Progress int    // 0..100, or -1
	ID, App  string // ID: "" is the root record, which alone decides a task
	Title    string // decoded
	Msg      string // decoded
}
