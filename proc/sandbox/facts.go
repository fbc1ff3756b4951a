package sandbox

// Facts say which layers a system has.
type Facts struct {
	// Layers are those that can be had.
	Layers Layer
	// Why says for each of the other layers why it is missing.
	Why map[Layer]error
	// ABI is the version of Landlock that the kernel has, 0 for none.
	ABI int
}

// gaps says what each version of Landlock brought, and so what an older one leaves open.
var gaps = [...]struct {
	abi  int
	says string
}{
	{2, "no file can be moved or linked from one directory to another"},
	{4, "a program with a network reaches every TCP port and can listen"},
	{5, "a device that may be read can also be controlled (ioctl)"},
	{6, "other processes of the same user can be signalled"},
}

// Gaps says what a version of Landlock cannot hold, the worst last.
func Gaps(abi int) (says []string) {
	for _, g := range gaps {
		if abi < g.abi {
			says = append(says, g.says)
		}
	}
	return says
}
