package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// openPipe makes the pipe for a descriptor of a process. The process's end is blocking, as a
// program expects; only our end is watched by the poller. os.Pipe would make both ends
// non-blocking, and undo that for the end that the process gets.
func openPipe(descriptor int) (theirs, ours *os.File, err error) {
	var ends [2]int // to read from, and to write to
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	in, out := ends[0], ends[1]
	if descriptor == 0 {
		in, out = out, in
	}
	err = unix.SetNonblock(in, true) // before NewFile, which checks it
	theirs, ours = os.NewFile(uintptr(out), "pipe"), os.NewFile(uintptr(in), "pipe")
	if err != nil {
		_, _ = theirs.Close(), ours.Close() // nothing was written
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return theirs, ours, nil
}

// capacity returns how many bytes the pipe can hold.
func capacity(pipe *os.File) int {
	size := pipeSize
	_ = Control(pipe, func(fd int) error {
		n, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
		if err == nil {
			size = n
		}
		return err
	})
	return size
}
