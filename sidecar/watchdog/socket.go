package watchdog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/peer"
)

// socketAsker makes a connection for each question: one line there, one line back. So an
// answer that comes too late can never be taken for that of another question.
type socketAsker struct {
	path  string
	agent *proc.User
}

func (s *socketAsker) close() {}

// changeable looks at the directory: whoever may connect to a socket may write to it, but
// not replace it.
func (s *socketAsker) changeable() (string, error) { return s.agent.CanChange(filepath.Dir(s.path)) }

func (s *socketAsker) ask(ctx context.Context, question []byte) ([]byte, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", s.path)
	if err != nil {
		return nil, &failure{kind: FailedUnavailable, text: "cannot be reached", more: err.Error()}
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if err := s.check(conn); err != nil {
		return nil, err
	}
	if _, err := conn.Write(question); err != nil {
		return nil, lost(err)
	}
	return readLine(conn)
}

// check refuses a peer that may be the agent: whoever listens must be root, we, or the
// owner of the socket's directory, and must not be the agent's user unless that is ours
// too.
func (s *socketAsker) check(conn net.Conn) error {
	nc, ok := conn.(*net.UnixConn)
	if !ok {
		return &failure{kind: FailedUnavailable, text: "cannot be reached", more: fmt.Sprintf("%T is no Unix socket", conn)}
	}
	_, uid, err := peer.Unix(nc)
	if err != nil {
		return &failure{kind: FailedUnsafe, text: "does not show who it is", more: err.Error()}
	}
	ours := os.Geteuid()
	if agent := int(s.agent.UID); uid == agent && uid != ours {
		return &failure{kind: FailedUnsafe, text: "is a program of the agent's user", more: fmt.Sprintf("uid %d", uid)}
	}
	if uid != 0 && uid != ours && uid != ownerOf(filepath.Dir(s.path)) {
		return &failure{kind: FailedUnsafe, text: "is a program of a user that does not own its directory", more: fmt.Sprintf("uid %d", uid)}
	}
	return nil
}

// ownerOf returns the uid of a file's owner, -1 if it is not known.
func ownerOf(path string) int {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// readLine reads the answer: up to the end of the line, or of the stream.
func readLine(conn net.Conn) ([]byte, error) {
	r := bufio.NewReader(io.LimitReader(conn, answerLimit+1))
	line, err := r.ReadBytes('\n')
	switch {
	case len(line) > answerLimit:
		return nil, &failure{kind: FailedLength, text: fmt.Sprintf("said more than %s", text.FormatSize(answerLimit))}
	case err == nil && r.Buffered() > 0:
		return nil, &failure{kind: FailedAnswer, text: "answered with more than one line"}
	case err != nil && !errors.Is(err, io.EOF):
		return nil, lost(err)
	}
	return line, nil
}

func lost(err error) error {
	return &failure{kind: FailedUnavailable, text: "closed the connection without an answer", more: err.Error()}
}
