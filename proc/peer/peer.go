package peer

// Holder says which process holds the other end of a connection; see [Of].
type Holder int

const (
	// Other is a process that does not descend from this one, or another
	// machine. On darwin it is everybody.
	Other Holder = iota
	// Own is a process that descends from this one.
	Own
	// Hidden means that no holder was found, but a process that descends from this one may
	// be it.
	Hidden
	// Unseen is a process on this machine where no process can be found, because there is
	// no /proc.
	Unseen
)
