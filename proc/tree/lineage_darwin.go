package tree

// Lineage is a process with its ancestors, which darwin does not tell.
type Lineage struct{ pid int }

// LineageOf returns a Lineage that knows only the process itself.
func LineageOf(pid int) Lineage { return Lineage{pid} }

// PID returns the pid of the process itself.
func (l Lineage) PID() int { return l.pid }

// Top returns 0: the ancestor is not known.
func (Lineage) Top() int { return 0 }

// Owns reports whether a process belongs to the tree. On darwin this cannot be known, and it
// reports true.
func (*Tree) Owns(Lineage) bool { return true }
