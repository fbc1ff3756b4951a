package tui

import (
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// round is one message or call on a screen: what was typed, and what has come of it so
// far.
type round struct {
	body     string // the message as it is typed
	squeezed string // without its blanks
	command  bool   // it is one of the agent's own commands, which no hook reports
	keys     uint64 // how many keys people had typed when the turn began
	held     bool   // the terminal was asked for, or is held

	tries   int // how often the message was typed, or about to be
	empties int // how often the input did not stay empty
	enters  int // how often Enter was due
	stops   int // how often the keys that stop the turn were typed again

	stood  entry     // the input with the message
	rows   int       // how many rows the input has with the message
	paste  bool      // it is typed as a paste
	sent   time.Time // when its last Enter was typed
	waited time.Time // since when it should have left the input

	worked bool // the agent was seen at work on the message
	over   bool // the agent said that the turn is done, before it looked ready
	told   console.AgentState
	drawn  quiet

	reader *transcript.Reader // reads and keeps the answer; nil until something is typed
	exact  bool               // the answer comes from a hook
	heard  string             // the last text of the answer that a hook reported
	failed bool               // the agent said that the turn failed
	why    string

	query  query             // what the agent asks
	dialog string            // the rule of the dialog that is closed
	open   *profile.Question // the question of a stopped turn

	was     entry     // the input after an interrupt
	changed time.Time // when it last changed
}
