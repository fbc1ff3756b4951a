package confine

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
)

// Mode says what happens if something cannot be held.
type Mode string

// The modes.
const (
	Off      Mode = "off"      // programs are not confined
	Auto     Mode = "auto"     // as far as this machine can
	Required Mode = "required" // or not at all
)

// Options configure New.
type Options struct {
	// Mode is Auto or Required.
	Mode Mode
	// User is the user of the programs, nil for our own.
	User *proc.User
	// Self is our own program, which tools run to emit and ask, and which starts those with limits;
	// "" if it is not known. Its main function calls [sandbox.RunShim].
	Self string
	// Private are the files and directories of the sidecar that no tool may write.
	Private []Private
	// Namespaces makes the networks in which only the hosts of a tool can be reached. It is asked
	// when a tool requires hosts. nil: there are none.
	Namespaces *sandbox.Namespaces
	// Off are layers that are left out, for tests.
	Off sandbox.Layer
	// Log gets a line about what cannot be held. nil: none.
	Log *slog.Logger
}

// Private is a file or a directory that is the sidecar's own.
type Private struct {
	// Path need not exist.
	Path string
	// Setting says by what it is moved, such as "--audit".
	Setting string
}

// Keeper makes the sandboxes of tools and keeps them while their definitions last. It may be
// used by many goroutines.
type Keeper struct {
	o       Options
	private []Private // as given, and resolved where that is another path

	mu    sync.Mutex
	boxes map[string]*Confined
}

// most is how many compiled sandboxes are kept; each holds a descriptor.
const most = 128

// New returns a keeper. In the mode Required, the error says which layer this machine lacks.
func New(o Options) (*Keeper, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	facts := sandbox.Probe()
	if lacks := sandbox.AllLayers &^ facts.Layers; o.Mode == Required && lacks != 0 {
		return nil, fmt.Errorf("--sandbox required: %s", whyNot(facts))
	}
	k := &Keeper{o: o, boxes: map[string]*Confined{}}
	for _, p := range o.Private {
		resolved, err := capability.OS().Resolve(p.Path)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", p.Setting, p.Path, err)
		}
		k.private = append(k.private, p)
		if resolved != p.Path {
			k.private = append(k.private, Private{resolved, p.Setting})
		}
	}
	return k, nil
}

// Networks is the function of this name for the keeper's programs.
func (k *Keeper) Networks() bool {
	return k != nil && k.o.Off == 0 && Networks(k.o.Mode, k.o.Namespaces)
}

// Confined is what a tool's program runs in.
type Confined struct {
	// Box is the sandbox.
	Box *sandbox.Sandbox
	// Wider says what the program may use beyond what the tool declares.
	Wider []string
	// Home reports whether the program can read its home directory.
	Home bool
	// Hosts are the patterns of hosts that the program may reach, by a proxy of its call. None:
	// it has no proxy.
	Hosts []string
	// Namespaces makes the network of each call, in which its proxy is. nil, if there are Hosts:
	// the proxy has to be in our own network, and Box needs its port (sandbox.More).
	Namespaces *sandbox.Namespaces
}

// Call is what a sandbox is made for.
type Call struct {
	Tool *manifest.Tool
	Set  *capability.Set // what the tool may use
	Argv []string
	Dir  string   // the directory that the program runs in, "" for our own
	Env  []string // the program's environment
}

// For returns the sandbox for a call. The error says what cannot be held, and why.
func (k *Keeper) For(c Call) (*Confined, error) {
	path, err := proc.LookPath(c.Argv[0], c.Dir, c.Env)
	if err != nil {
		return nil, err
	}
	key := keyOf(&c, path)
	k.mu.Lock()
	found := k.boxes[key]
	k.mu.Unlock()
	if found != nil {
		return found, nil
	}
	made, err := k.compile(&c, path)
	if err != nil {
		return nil, err
	}
	for _, w := range made.Wider {
		k.o.Log.Warn("a sandbox is wider than what its tool declares", "tool", c.Tool.Name, "wider", w)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if found := k.boxes[key]; found != nil {
		return found, nil // another call was faster
	}
	for other := range k.boxes {
		if len(k.boxes) < most {
			break
		}
		delete(k.boxes, other)
	}
	k.boxes[key] = made
	return made, nil
}

// keyOf returns what a sandbox depends on.
func keyOf(c *Call, path string) string {
	home, _ := variable(c.Env, "HOME")
	parts := []string{c.Tool.Digest, c.Tool.Name, path, home}
	for _, paths := range []capability.Paths{c.Set.Read, c.Set.Write} {
		for _, p := range paths.Expanded {
			parts = append(parts, p.Root, p.Glob)
		}
		parts = append(parts, "")
	}
	parts = append(parts, c.Set.NetHosts...)
	return strings.Join(parts, "\x00")
}

// variable returns the first value of a variable.
func variable(env []string, name string) (string, bool) {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v, true
		}
	}
	return "", false
}
