package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// headSuffix is what the head file's name ends in, after the name of the audit.
const headSuffix = ".head"

// headLimit bounds what is read of a head file, in bytes.
const headLimit = 1 << 10

// head is the file that knows the end of the chain: without it nobody could tell that
// records were cut off there. It is written after the records, in one piece and in place,
// so that it never names a record that was not written. Its lock says who writes.
type head struct{ f *os.File }

// ErrInUse is the error of an audit that another process writes to.
var ErrInUse = errors.New("another sidecar writes to this audit: give each its own --audit FILE")

// openHead opens and locks the head file of an audit.
func openHead(path string) (head, link, error) {
	f, err := os.OpenFile(path+headSuffix, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return head{}, link{}, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrInUse
		}
		return head{}, link{}, fmt.Errorf("%s: %w", path, err)
	}
	last, err := readLink(f)
	if err != nil {
		f.Close()
		return head{}, link{}, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return head{f}, last, nil
}

// write notes the end of the chain. The line has always the same length.
func (h head) write(l link) error {
	_, err := h.f.WriteAt(fmt.Appendf(nil, "{\"seq\":%20d,\"hash\":\"%64s\"}\n", l.seq, l.hash), 0)
	return err
}

// close gives the lock back.
func (h head) close() error { return h.f.Close() }

// readLink reads a head file; the zero link is that of an empty one.
func readLink(r io.Reader) (link, error) {
	data, err := io.ReadAll(io.LimitReader(r, headLimit))
	if err != nil || len(data) == 0 {
		return link{}, err
	}
	var l struct {
		Seq  uint64 `json:"seq"`
		Hash string `json:"hash"`
	}
	if err := json.Unmarshal(data, &l); err != nil {
		return link{}, fmt.Errorf("it does not name the last record: %w", err)
	}
	return link{l.Seq, l.Hash}, nil
}
