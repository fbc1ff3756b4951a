package channel

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Join connects to the server in the name of the process that a token was granted for, and returns
// the process's end. It is for a caller that knows by other means that what it passes on comes from
// that process alone: from a network namespace in which nothing else is. Only that token is good on
// the connection. The error is an *Error if the token was not granted, or is not any more.
func (s *Server) Join(token string) (net.Conn, error) {
	g := s.granted(token)
	if g == nil {
		return nil, errUnknownToken()
	}
	theirs, ours, err := streamPair()
	if err != nil {
		return nil, err
	}
	if err := s.admit(ours, peer{uid: os.Geteuid(), joined: g}); err != nil {
		_, _ = ours.Close(), theirs.Close()
		return nil, err
	}
	return theirs, nil
}

// streamPair returns two connections that lead to each other, and that no process inherits.
func streamPair() (a, b *net.UnixConn, err error) {
	ends, err := pair(unix.SOCK_STREAM)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if a, err = unixConn(ends[0]); err != nil {
		_ = unix.Close(ends[1])
		return nil, nil, err
	}
	if b, err = unixConn(ends[1]); err != nil {
		_ = a.Close()
		return nil, nil, err
	}
	return a, b, nil
}
