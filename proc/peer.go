package proc

// Peer says which process holds the other end of a connection; see [PeerOf].
type Peer int

const (
	// PeerOther is a process that does not descend from this one, or another
	// machine.
	PeerOther Peer = iota
	// PeerOwn is a process that descends from this one.
	PeerOwn
	// PeerHidden means that no holder was found, but a process that descends from this one may
	// be it.
	PeerHidden
	// PeerUnseen is a process on this machine where no process can be found, because there is
	// no /proc.
	PeerUnseen
)
