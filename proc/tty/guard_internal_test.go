package tty

import (
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// TestGuardIsTooLate: a shell that has taken the terminal already keeps its own
// settings, and pastes as it wants them.
func TestGuardIsTooLate(t *testing.T) {
	for _, late := range []bool{false, true} {
		master, pts, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { master.Close(); pts.Close() })
		fd := int(pts.Fd())
		saved, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			t.Fatal(err)
		}
		k := keeper{out: fd, in: fd, saved: saved, raw: rawSettings(saved)}
		now := *k.raw
		if late { // as line editors have it
			now = *saved
			now.Lflag &^= unix.ICANON | unix.ECHO
		}
		if err := unix.IoctlSetTermios(fd, setTermios, &now); err != nil {
			t.Fatal(err)
		}
		k.giveBack()
		after, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			t.Fatal(err)
		}
		if late && after.Lflag != now.Lflag || !late && *after != *saved {
			t.Errorf("late %v: line settings %+v", late, after)
		}
		buf := make([]byte, 4096)
		if err := master.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Log(err) // then it waits as long as it has to
		}
		n, err := master.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		shown := string(buf[:n])
		if strings.Contains(shown, plainPaste) == late || strings.Contains(shown, nextLine) == late || !strings.Contains(shown, "\x1b[?25h") {
			t.Errorf("late %v: %q", late, shown)
		}
	}
}
