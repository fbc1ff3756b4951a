package profile

// State is what an agent is doing.
type State string

// The states of an agent.
const (
	Starting State = "starting" // nothing has shown yet that a message may be sent
	Ready    State = "ready"    // it waits for a message
	Working  State = "working"  // a turn is under way
	Asking   State = "asking"   // a turn waits for somebody's answer: see Match.Kind
	Dialogue State = "dialog"   // a dialog is shown into which no message may be typed
	Exited   State = "exited"   // its process has ended
	Unknown  State = "unknown"  // nothing on the screen shows the state
)

// The kinds of request that an agent makes.
const (
	KindPermission = "permission"
	KindQuestion   = "question"
	KindAuth       = "auth"
)

// What a Match was read from.
const (
	SourceTitle  = "title"  // the window's title
	SourceScreen = "screen" // the rows
	SourcePrompt = "prompt" // a prompt before the cursor
)
