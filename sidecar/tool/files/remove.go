package files

import (
	"io/fs"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Remove implements tool.FS.
func (v *view) Remove(path string, old fs.FileInfo) error {
	resolved, _, err := v.Path(path)
	if err != nil {
		return err
	}
	if err := v.remove(resolved, old); err != nil {
		return v.fail("remove", resolved, err)
	}
	return nil
}

func (v *view) remove(resolved string, old fs.FileInfo) error {
	if err := v.f.changeable(resolved); err != nil {
		return err
	}
	parent, name, err := v.at(policy.FSWrite, resolved, nil)
	if err != nil {
		return err
	}
	now, err := still(parent, name, old)
	switch {
	case err != nil:
		return err
	case now == nil:
		return fs.ErrNotExist
	}
	forget, err := v.record(resolved, parent, name, now, &Content{FileState: tool.FileState{Absent: true}})
	if err != nil {
		return err
	}
	if _, err = still(parent, name, now); err == nil {
		err = unix.Unlinkat(parent, name, 0)
	}
	if err != nil {
		forget()
		return err
	}
	return syncDir(parent)
}
