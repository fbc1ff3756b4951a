package profile

// State is what an agent is doing.
type State string

// The states of an agent.
const (
	Starting State = "starting" // nothing has said yet that it may be spoken to
	Ready    State = "ready"    // it waits for a message
	Working  State = "working"  // a turn is under way
	Asking   State = "asking"   // a turn waits for somebody: see Match.Kind
	Dialogue State = "dialog"   // something is in the way that no message may be typed into
	Exited   State = "exited"   // its process has ended
	Unknown  State = "unknown"  // nothing on the screen tells
)

// The kinds of what an agent asks for.
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
