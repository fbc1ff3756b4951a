package sandbox

import (
	"fmt"
	"path/filepath"
	"time"
)

// Rules say what a program may do. The zero value lets it read, write and execute nothing, so
// that it cannot even start: [System] returns what it takes to start.
type Rules struct {
	// Read holds what may be read, Exec what may be read and executed, and Write what may be
	// read, executed, changed, made and removed.
	Read, Exec, Write []Root
	// Devices may be read, written and controlled, but nothing can be made or removed there.
	Devices []Root
	// Net is the network that the program has. nil: none; the program can make no socket but a
	// pair that is connected to itself.
	Net *Net
	// Limits bound what the program uses. They need a Shim.
	Limits Limits
	// Shim is the path of a program whose main function first calls [RunShim] if it is named
	// ShimName: it is started first, limits itself, and becomes the program. Without Limits it is
	// not used.
	Shim string
	// Off are layers that are left out.
	Off Layer
	// ABI, if it is not 0, is the newest version of Landlock to use, for tests on a newer
	// kernel.
	ABI int
}

// Root is a file or a directory with everything below it.
type Root struct {
	// Path is relative to Base. No part of it may be a symbolic link, nor lead out of Base: it
	// may be in a directory that the program can change.
	Path string
	// Base is an absolute directory that the program cannot replace: symbolic links in it are
	// followed. "": "/", and links in Path are followed too.
	Base string
}

// Name returns the root's full path.
func (r Root) Name() string {
	if r.Base == "" {
		return r.Path
	}
	return filepath.Join(r.Base, r.Path)
}

// More is what one program may use in addition to its rules.
type More struct {
	// Read may be read, and Write also written.
	Read, Write []Root
	// Connect are TCP ports in addition to those of Net.Connect.
	Connect []uint16
	// Namespace is the network namespace that the program is started in; Rules.Net must be set.
	// nil: the one of the caller.
	Namespace *Namespace
}

// Net is the network of a program.
type Net struct {
	// Connect are the TCP ports that may be connected to, if the kernel can tell (Landlock ABI
	// 4). nil: all.
	Connect []uint16
	// Listen lets the program listen and accept.
	Listen bool
	// Datagrams lets the program use UDP.
	Datagrams bool
	// Local lets the program make Unix sockets. It can then connect to every Unix socket that
	// its user may connect to, wherever it is.
	Local bool
}

// Limits bound what one program uses; 0 is no limit. They are there before its first instruction.
type Limits struct {
	// Memory is how many bytes of memory a process can have for data.
	Memory int64
	// CPU is how long a process can compute; it is rounded up to seconds. What the shim takes to
	// start, some milliseconds, is part of it.
	CPU time.Duration
	// Processes is how many processes and threads the program can have at once.
	Processes int
	// Disk is how many bytes a file can get that a process writes to.
	Disk int64
}

// Gaps says which limits this system cannot hold for programs of a user, given by uid.
func (l Limits) Gaps(user int) []string { return l.gaps(user) }

// LayerError says that a process could not be put under a layer, and so was not started.
type LayerError struct {
	Layer Layer
	Err   error
}

func (e *LayerError) Error() string { return fmt.Sprintf("sandbox (%s): %s", e.Layer, e.Err) }
func (e *LayerError) Unwrap() error { return e.Err }

// Layer is a set of the independent mechanisms that a sandbox consists of.
type Layer uint

const (
	// Landlock restricts files, TCP ports, signals and abstract sockets.
	Landlock Layer = 1 << iota
	// Seccomp refuses system calls.
	Seccomp
	// Capabilities takes away all capabilities of root.
	Capabilities

	// AllLayers are all of them.
	AllLayers = Landlock | Seccomp | Capabilities
)

// String returns the layer's name, or the names of all layers of the set.
func (l Layer) String() string {
	var names string
	for _, one := range []struct {
		layer Layer
		name  string
	}{{Landlock, "landlock"}, {Seccomp, "seccomp"}, {Capabilities, "capabilities"}} {
		if l&one.layer == 0 {
			continue
		}
		if names != "" {
			names += ", "
		}
		names += one.name
	}
	return names
}
