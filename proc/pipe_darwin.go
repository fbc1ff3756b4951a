package proc

import "os"

// openPipe makes the pipe for a descriptor of a process.
func openPipe(descriptor int) (theirs, ours *os.File, err error) {
	r, w, err := os.Pipe()
	if descriptor == 0 {
		return r, w, err
	}
	return w, r, err
}

func capacity(*os.File) int { return pipeSize }
