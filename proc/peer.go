package proc

// Peer says who holds the other end of a connection, see [PeerOf].
type Peer int

const (
	// PeerOther is a process that does not descend from this one, or another
	// machine.
	PeerOther Peer = iota
	// PeerOwn is a process that descends from this one.
	PeerOwn
	// PeerHidden is nobody that could be found, while a process that descends
	// from this one may be it.
	PeerHidden
	// PeerUnseen is on this machine, where nobody can be found: there is no
	// /proc.
	PeerUnseen
)
