package proc

// Lineage is a process with those above it, which darwin does not tell.
type Lineage struct{ pid int }

// LineageOf knows the process alone.
func LineageOf(pid int) Lineage { return Lineage{pid} }

// PID is the process itself.
func (l Lineage) PID() int { return l.pid }

// Top is 0: it is not known.
func (Lineage) Top() int { return 0 }

// Raised reports whether a process is the child's own. It cannot tell, and says
// yes.
func (*Child) Raised(Lineage) bool { return true }
