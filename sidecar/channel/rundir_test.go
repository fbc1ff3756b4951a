package channel_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// The test binary, started with this variable, is a sidecar that waits to be
// killed.
const victimVariable = "CHANNEL_TEST_VICTIM"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimVariable); dir != "" {
		s, err := channel.Listen(channel.Options{RuntimeDir: dir, UID: -1})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.Path())
		io.Copy(io.Discard, os.Stdin)
	}
	if socket := os.Getenv(agentVariable); socket != "" {
		playAgent(socket, os.Getenv("SIDECAR_CHANNEL_TOKEN"), os.Getenv(agentSilent) != "")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// victim starts one and returns its directory and how to kill it.
func victim(t *testing.T, dir string) (path string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimVariable+"="+dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		cmd.Process.Kill()
		cmd.Wait()
		stdin.Close()
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(strings.TrimSpace(line)), kill
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// What a killed sidecar left is swept by the next; what lives, and what is not
// ours, stays.
func TestStaleDirectoriesAreSwept(t *testing.T) {
	dir := shortDir(t)
	dead, kill := victim(t, dir)
	alive, killLater := victim(t, dir)
	kill()
	if !exists(dead) {
		t.Fatal("nothing was left to sweep")
	}
	outside := filepath.Join(dir, "outside")
	others := []string{outside, filepath.Join(dir, "sidecar-new"), filepath.Join(dir, "sidecar-link"), filepath.Join(dir, "sidecar-file")}
	for _, d := range others[:2] {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(outside, "s"), nil, 0o600)
	os.WriteFile(filepath.Join(outside, "lock"), nil, 0o600)
	os.Symlink("outside", others[2])
	os.WriteFile(others[3], nil, 0o600)

	s, err := channel.Listen(channel.Options{RuntimeDir: dir, UID: -1})
	if err != nil {
		t.Fatal(err)
	}
	if exists(dead) {
		t.Error("the dead one's directory is still there")
	}
	for _, path := range append(others, alive, filepath.Join(alive, "s"), filepath.Join(outside, "s"), filepath.Join(outside, "lock")) {
		if !exists(path) {
			t.Errorf("%s was removed", filepath.Base(path))
		}
		if strings.HasPrefix(path, outside) || path == others[1] || path == others[2] || path == others[3] {
			defer os.RemoveAll(path)
		}
	}
	own := filepath.Dir(s.Path())
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	s.Close()
	if exists(own) {
		t.Error("our own directory is still there")
	}
	killLater()
	os.RemoveAll(alive)
}

func TestRuntimeDirIsTheFirstThatWorks(t *testing.T) {
	good := shortDir(t)
	long := filepath.Join(shortDir(t), strings.Repeat("x", 90))
	os.Mkdir(long, 0o700)
	defer os.Remove(long)
	for name, bad := range map[string]string{
		"missing": "/nonexistent", "a file": "/dev/null", "too long": long, "unset": "",
	} {
		t.Setenv("XDG_RUNTIME_DIR", good)
		s, err := channel.Listen(channel.Options{RuntimeDir: bad, UID: -1})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !strings.HasPrefix(s.Path(), good+"/") || len(s.Path()) >= 100 {
			t.Errorf("%s: %s", name, s.Path())
		}
		s.Close()
	}
}
