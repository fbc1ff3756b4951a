package channel

import "time"

// The limits of the channel bound what a hostile or broken agent can cost. A
// connection holds at most one frame that is being read (a small one if MaxLong
// others of the same token are long), QueueBytes that wait to be written, the
// parameters of MaxAsks + MaxToolCalls requests, and MaxCalls small records. What goes by files
// costs at most MaxAllFiles times Options.MaxFile for arguments, those of calls that wait
// included, and maxWrites times twice that for results, for all connections together.
const (
	// MaxFrame is the longest frame in bytes, without its newline.
	MaxFrame = 1 << 20
	// MaxLong is how many frames of more than 64 KiB are read at a time from the
	// connections of one token. Further ones wait.
	MaxLong = 16
	// maxFirst is the longest frame before a connection has said initialize.
	maxFirst = keepBuffer
	// MaxConns is how many connections one token may have open. So the connections
	// of one agent take nothing from another.
	MaxConns = 128
	// MaxStrangers is how many connections that have not said initialize the
	// processes of one agent may have open. All orphans together have the same
	// limit. A further connection is told so, and closed.
	MaxStrangers = 64
	// MaxAll is how many connections there may be in total.
	MaxAll = 1024
	// MaxAsks is how many asks of one connection may be unanswered.
	MaxAsks = 8
	// MaxCalls is how many deliveries and tool calls to one connection may be
	// unanswered.
	MaxCalls = 64
	// MaxToolCalls is how many calls of the sidecar's tools by one connection may be
	// unanswered. A further one is refused.
	MaxToolCalls = 16
	// maxCallID is the longest id of a request that calls a tool, in bytes of JSON.
	maxCallID = 1 << 10
	// MaxFiles is how many calls with arguments of a file the connections of one token may have
	// under way, and MaxAllFiles how many all of them may. A further one is refused.
	MaxFiles    = 4
	MaxAllFiles = 16
	// maxWrites is how many results that go by a file are made at a time. Further ones wait.
	maxWrites = 2
	// MaxUnread is how many results of one connection may be in its outbox. Beyond it, a result
	// is sent as far as it fits a frame.
	MaxUnread = MaxToolCalls
	// MaxEnvelope is the longest result of a call that fits into a frame in any case.
	MaxEnvelope = MaxFrame - 4<<10
	// hintBytes and hintFrames are how much may wait to be written when the progress of a
	// call is still sent. What a slow peer does not get this way is left out.
	hintBytes  = QueueBytes / 4
	hintFrames = QueueFrames / 4
	// QueueFrames and QueueBytes bound what waits until a peer reads it.
	QueueFrames = 256
	QueueBytes  = 4 << 20
	// HandshakeTime is how long a connection may take to say initialize.
	HandshakeTime = 10 * time.Second
	// WriteTime is how long a peer may take to read one frame.
	WriteTime = 30 * time.Second
)

// ProtocolVersion is the version that both ends name in initialize.
const ProtocolVersion = "1"
