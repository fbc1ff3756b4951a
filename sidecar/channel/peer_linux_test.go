package channel_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// connectAs connects as another user.
func connectAs(t *testing.T, path string, uid int) (net.Conn, error) {
	t.Helper()
	f, err := proctest.SocketAs(uid, nil, func(fd int) error { return unix.Connect(fd, &unix.SockaddrUnix{Name: path}) })
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return net.FileConn(f)
}

func TestAnotherUserIsNotLetIn(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to be somebody else")
	}
	const agentUID, otherUID = 64001, 64002
	base := shortDir(t)
	os.Chmod(base, 0o755)
	s, err := channel.Listen(channel.Options{RuntimeDir: base, UID: agentUID})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"token":"` + s.Grant(&owner{}).Token() + `","protocolVersion":"1"}}` + "\n"

	if _, err := connectAs(t, s.Path(), otherUID); err == nil {
		t.Error("another user can open the socket")
	}
	os.Chmod(s.Path(), 0o666) // as if the file system did not keep him out
	if info, _ := os.Stat(filepath.Dir(s.Path())); info.Mode().Perm() != 0o711 {
		t.Errorf("directory mode %v", info.Mode())
	}
	for uid, want := range map[int]string{
		agentUID: `{"jsonrpc":"2.0","id":1,"result"`,
		otherUID: `{"jsonrpc":"2.0","id":1,"error":{"code":-32001`,
	} {
		nc, err := connectAs(t, s.Path(), uid)
		if err != nil {
			t.Fatal(err)
		}
		nc.Write([]byte(hello))
		buf := make([]byte, 1024)
		n, _ := nc.Read(buf)
		if got := string(buf[:n]); len(got) < len(want) || got[:len(want)] != want {
			t.Errorf("uid %d got %s", uid, got)
		}
		nc.Close()
	}
}
