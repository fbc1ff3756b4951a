package files_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/files"
)

// A kernel that holds the thread denies what the code would have opened.
func TestTheThreadIsConfined(t *testing.T) {
	g := newGround(t)
	g.put("a", "one")
	k := g.keeper()
	f, err := files.New(files.Options{Roots: []string{g.ws}, Dir: g.ws, Reads: []string{g.at("a")}, Keeper: k})
	g.must(err)
	defer f.Close()
	if f.Layers() == 0 {
		t.Skip("this system has no Landlock")
	}
	try := func() (read, write error) {
		_, read = os.ReadFile(filepath.Join(g.base, "secret"))
		return read, os.WriteFile(g.at("a"), []byte("two"), 0o644)
	}
	g.must(f.Run(func(all tool.FS) {
		if read, write := try(); read == nil || write == nil {
			t.Error("the thread can use what was not judged:", read, write)
		}
		all.Workers(3, func(tool.FS) {
			if read, write := try(); read == nil || write == nil {
				t.Error("a worker can use what was not judged:", read, write)
			}
		})
	}))
	if read, write := try(); read != nil || write != nil {
		t.Error("after it, the rest of the process cannot:", read, write)
	}
}

// Where the sandbox is required, nothing runs without Landlock.
func TestRequiredWithoutLandlock(t *testing.T) {
	g := newGround(t)
	for _, c := range []struct {
		mode confine.Mode
		err  string
	}{{confine.Auto, ""}, {confine.Required, "--sandbox required: what the sidecar's own tools open cannot be held: "}} {
		k, err := confine.New(confine.Options{Mode: c.mode, Off: sandbox.Landlock})
		if err != nil {
			t.Skip(err) // this system lacks a layer anyway
		}
		f, err := files.New(files.Options{Roots: []string{g.ws}, Dir: g.ws, Reads: []string{g.ws}, Keeper: k})
		if (err == nil) != (c.err == "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
			t.Errorf("%s: %v", c.mode, err)
		}
		if err == nil {
			if f.Layers() != 0 {
				t.Errorf("%s: held by %s", c.mode, f.Layers())
			}
			f.Close()
		}
	}
}

// Whatever a goroutine puts in its way, nothing outside is read or written.
func TestSwapsByARacingGoroutine(t *testing.T) {
	everywhere(t, func(g *ground, k *confine.Keeper) {
		g.put("dir/secret", "public")
		g.must(os.Symlink(g.base, g.at("out")))
		stop, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			for {
				select {
				case <-stop:
					return
				default:
					_ = errors.Join(os.Rename(g.at("dir"), g.at("was")), os.Rename(g.at("out"), g.at("dir")), os.Rename(g.at("dir"), g.at("out")), os.Rename(g.at("was"), g.at("dir")))
				}
			}
		}()
		links := 0
		for range 300 {
			o := files.Options{Roots: []string{g.ws}, Dir: g.ws, Reads: []string{g.at("dir/secret")}, Writes: []string{g.at("dir/secret")}, Keeper: k}
			f, err := files.New(o)
			if err != nil {
				links++
				continue
			}
			g.must(f.Run(func(f tool.FS) {
				if got, err := read(f, "dir/secret"); got == "secret" {
					t.Error("what is outside was read")
				} else if errors.Is(err, tool.ErrLink) {
					links++
				}
				if old, err := f.Stat("dir/secret"); err == nil {
					_ = f.Replace("dir/secret", []byte("public"), old)
				}
			}))
			f.Close()
		}
		close(stop)
		<-ended
		if got, _ := os.ReadFile(filepath.Join(g.base, "secret")); string(got) != "secret" {
			t.Errorf("what is outside was written: %q", got)
		}
		t.Logf("a link was seen %d times", links)
	})
}

func TestAPanicOfAWorkerIsThatOfTheCall(t *testing.T) {
	g := newGround(t)
	g.work(files.Options{Reads: []string{"."}, Keeper: g.keeper()}, func(f tool.FS) {
		defer func() {
			if said := fmt.Sprint(recover()); !strings.Contains(said, "a worker panicked: oops") {
				t.Error(said)
			}
		}()
		f.Workers(2, func(tool.FS) { panic("oops") })
	})
}
