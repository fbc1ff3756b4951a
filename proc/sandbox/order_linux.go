package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// shimMessage is more than the longest message between the shim and us.
const shimMessage = 64 << 10

// order says what the shim must do before it becomes the program.
type order struct {
	hold
	user    *syscall.Credential // nil: it keeps its own
	entered bool                // the user must be able to enter the working directory
	limits  []limit
	counted bool // after its other descriptors, the shim has that of a control group to enter
}

// orderHead is the beginning of an order as bytes. The groups, the limits and the code follow.
type orderHead struct {
	Layers, Flags        uint64
	Entered, Counted     bool
	Switch, KeepGroups   bool // to another user, which has the groups that the shim has
	UID, GID             uint32
	Groups, Limits, Code uint32 // how many
}

func (o *order) bytes() []byte {
	head := orderHead{
		Layers: uint64(o.layers), Flags: uint64(o.flags), Entered: o.entered, Counted: o.counted,
		Limits: uint32(len(o.limits)), Code: uint32(len(o.code)),
	}
	var groups []uint32
	if u := o.user; u != nil {
		groups = u.Groups
		head.Switch, head.KeepGroups, head.UID, head.GID, head.Groups = true, u.NoSetGroups, u.Uid, u.Gid, uint32(len(groups))
	}
	var b bytes.Buffer
	for _, part := range []any{head, groups, o.limits, o.code} {
		_ = binary.Write(&b, binary.NativeEndian, part) // the sizes are fixed, and a buffer takes everything
	}
	return b.Bytes()
}

func readOrder(b []byte) (*order, error) {
	r := bytes.NewReader(b)
	var head orderHead
	if err := binary.Read(r, binary.NativeEndian, &head); err != nil {
		return nil, err
	}
	if most := uint32(len(b)); max(head.Groups, head.Limits, head.Code) > most {
		return nil, unix.EPROTO
	}
	groups := make([]uint32, head.Groups)
	o := &order{
		hold:    hold{layers: Layer(head.Layers), flags: uintptr(head.Flags), code: make([]unix.SockFilter, head.Code)},
		entered: head.Entered, counted: head.Counted, limits: make([]limit, head.Limits),
	}
	for _, part := range []any{groups, o.limits, o.code} {
		if err := binary.Read(r, binary.NativeEndian, part); err != nil {
			return nil, err
		}
	}
	if head.Switch {
		o.user = &syscall.Credential{Uid: head.UID, Gid: head.GID, Groups: groups, NoSetGroups: head.KeepGroups}
	}
	return o, nil
}

// complaint says why the shim cannot go on: a layer, an error number, and what was tried.
type complaint struct {
	layer Layer // 0: none of them
	errno syscall.Errno
	did   string // "exec": the program itself cannot be executed
}

func (c *complaint) bytes() []byte {
	b := binary.NativeEndian.AppendUint32(nil, uint32(c.layer))
	return append(binary.NativeEndian.AppendUint32(b, uint32(c.errno)), c.did...)
}

func readComplaint(b []byte) *complaint {
	if len(b) < 8 {
		return &complaint{errno: unix.EPROTO, did: "the shim's answer"}
	}
	return &complaint{Layer(binary.NativeEndian.Uint32(b)), syscall.Errno(binary.NativeEndian.Uint32(b[4:])), string(b[8:])}
}

// err returns the error as it would have been without a shim.
func (c *complaint) err(path string) error {
	switch {
	case c.did == "exec":
		return &fs.PathError{Op: "fork/exec", Path: path, Err: c.errno}
	case c.layer != 0:
		return &LayerError{c.layer, os.NewSyscallError(c.did, c.errno)}
	}
	return fmt.Errorf("sandbox: %w", os.NewSyscallError(c.did, c.errno))
}
