package tui

// goal is what a run is for.
type goal int

const (
	toReady   goal = iota // the agent takes a message
	toDeliver             // a message is answered
	toAsk                 // a question of a program that reads lines is answered
	toStop                // the turn is interrupted, and the agent is idle
	toIdle                // the agent is idle
)

// phase is how far a message has come. It says what the machine waits for.
type phase int

const (
	// Nothing of the message has reached the agent.
	waiting  phase = iota // the agent takes a message
	closing               // a dialog goes that nobody has to decide
	claiming              // no person is in the middle of a line
	emptying              // the input is empty
	resting               // the input stays empty

	// A part or all of the message may stand in the input, without its Enter.
	typed     // the message stands in the input
	takenBack // the message is out of the input, and is typed again
	failing   // the message is out of the input, and err ends the turn

	// The Enter was typed.
	entered // the message leaves the input
	regrown // the agent took the Enter for text
	taken   // the agent is seen at work on the message, asks or is ready
	working // the agent asks or is ready
	late    // the agent said that it is done: an answer is shown
	drawing // the screen is quiet
	telling // a hook reports the exact text

	// The agent asks.
	dismissing // a dialog goes that nobody has to decide, as in closing
	unread     // the question can be read
	asking     // the caller answers
	withdrawn  // the caller knows that the question has gone
	answering  // no person is in the middle of a line
	reading    // the question has been on the screen for a while
	replied    // the text of a free answer is drawn
	confirming // the question goes
	swallowing // the program reads a secret
	settling   // a full-screen program draws what it makes of an answer
	declining  // a question that nobody can answer is declined, and err ends the turn

	// The turn has to stop.
	stopping // the message leaves the input
	declined // the turn whose question was declined ends
	idling   // the agent is ready
	doubting // a question of a stopped turn goes by itself
	back     // the agent puts the message back into its input
	cleaning // the message is out of the input

	phases
)

// typing reports whether the message may stand in the input without its Enter.
func (p phase) typing() bool { return typed <= p && p <= failing }

// sent reports whether the message's Enter was typed.
func (p phase) sent() bool { return p >= entered }

// handlers go on with a phase.
var handlers = [phases]func(*machine, *event){
	waiting:  (*machine).awaitReady,
	closing:  (*machine).awaitDismissed,
	claiming: (*machine).claim,
	emptying: (*machine).emptied,
	resting:  (*machine).rest,

	typed:     (*machine).awaitEcho,
	takenBack: (*machine).takeBack,
	failing:   (*machine).fail,

	entered: (*machine).leave,
	regrown: (*machine).enterAgain,
	taken:   (*machine).follow,
	working: (*machine).follow,
	late:    (*machine).awaitAnswer,
	drawing: (*machine).awaitDrawn,
	telling: (*machine).awaitReport,

	dismissing: (*machine).awaitDismissed,
	unread:     (*machine).awaitReadable,
	asking:     (*machine).awaitDecision,
	withdrawn:  (*machine).awaitWithdrawn,
	answering:  (*machine).claimAnswer,
	reading:    (*machine).read,
	replied:    (*machine).awaitReplied,
	confirming: (*machine).awaitTaken,
	swallowing: (*machine).awaitSwallowed,
	settling:   (*machine).awaitSettled,
	declining:  (*machine).fail,

	stopping: (*machine).awaitLeft,
	declined: (*machine).awaitDeclined,
	idling:   (*machine).awaitIdle,
	doubting: (*machine).doubt,
	back:     (*machine).awaitBack,
	cleaning: (*machine).fail,
}
