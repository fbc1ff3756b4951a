package channel_test

import (
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// openDoor returns a door and the descriptor that a process would inherit.
func openDoor(t *testing.T, s *channel.Server) (*channel.Door, int) {
	t.Helper()
	d, err := s.OpenDoor()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d, int(d.File().Fd())
}

func TestADoorIsUsedByManyAtOnce(t *testing.T) {
	s, o := listen(t), &owner{}
	_, fd := openDoor(t, s)
	token := s.Grant(o).Token()
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			c, err := channel.DialDoor(t.Context(), fd, token, channel.Capabilities{})
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			if err := c.Status(t.Context(), channel.Status{Text: "here"}); err != nil {
				t.Error(err)
			}
		})
	}
	users.Wait()
	if got := o.take(); len(got) != 8 {
		t.Errorf("8 processes said %q", got)
	}
}

func TestADoorChecksTheToken(t *testing.T) {
	s := listen(t)
	_, fd := openDoor(t, s)
	if _, err := channel.DialDoor(t.Context(), fd, "guessed", channel.Capabilities{}); err == nil {
		t.Error("a wrong token was taken")
	}
	// A grant for another process: this one is none of its.
	child, _ := raise(t, newHost(t), s.Path(), "", "exec sleep 60")
	g := s.GrantProcess(&owner{})
	g.Started(child)
	if _, err := channel.DialDoor(t.Context(), fd, g.Token(), channel.Capabilities{}); err == nil {
		t.Error("another process's token was taken")
	}
}

func TestADoorOutlivesNonsense(t *testing.T) {
	s, o := listen(t), &owner{}
	_, fd := openDoor(t, s)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, rights := range [][]byte{nil, unix.UnixRights(int(null.Fd())), unix.UnixRights(int(null.Fd()), int(null.Fd()))} {
		if err := unix.Sendmsg(fd, []byte("xyz"), rights, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	c, err := channel.DialDoor(t.Context(), fd, s.Grant(o).Token(), channel.Capabilities{})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestAClosedDoorTakesNobody(t *testing.T) {
	s := listen(t)
	token := s.Grant(&owner{}).Token()
	d, fd := openDoor(t, s)
	kept, err := unix.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(kept)
	through, err := channel.DialDoor(t.Context(), fd, token, channel.Capabilities{})
	if err != nil {
		t.Fatal(err)
	}
	defer through.Close()
	d.Close()
	if _, err := channel.DialDoor(t.Context(), kept, token, channel.Capabilities{}); err == nil {
		t.Error("a connection through a closed door")
	}
	if err := through.Status(t.Context(), channel.Status{Text: "still here"}); err != nil {
		t.Errorf("a connection ended with the door: %v", err)
	}
	if _, err := channel.DialDoor(t.Context(), int(os.Stdin.Fd()), token, channel.Capabilities{}); err == nil {
		t.Error("standard input is a door")
	}
	_, other := openDoor(t, s)
	other, err = unix.Dup(other)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(other)
	s.Close()
	if unix.Sendmsg(other, []byte{0}, nil, nil, 0) == nil {
		t.Error("the door is open after its server was closed")
	}
}
