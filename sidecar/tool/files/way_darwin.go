package files

import "golang.org/x/sys/unix"

// passDir opens a directory to find what is in it: that it can be read is not needed.
const passDir = unix.O_SEARCH
