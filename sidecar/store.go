package sidecar

import (
	"context"
	"errors"

	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

// openStore opens the store that keeps tasks over restarts, if a directory for it is
// set. A directory that somebody asked for must work. The one in the platform's
// workspace need not: if it is not writable, the sidecar goes on in memory and says
// so. A store that is in use, damaged or of a newer version is a fault in both cases.
func (s *sidecar) openStore(context.Context) error {
	c := &s.Config
	if c.StoreDir == "" {
		s.Log.Info("tasks are kept in memory, and lost at a restart; --state-dir keeps them")
		return nil
	}
	store, err := disk.Open(disk.Options{Dir: c.StoreDir, Log: s.Log})
	if errors.Is(err, disk.ErrUnwritable) && !c.StoreAsked {
		s.Log.Warn("tasks are kept in memory only, and lost at a restart", "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	s.Log.Info("tasks are kept on disk", "dir", c.StoreDir)
	s.store = store
	return nil
}

// closeStore writes what is still waiting to be written.
func (s *sidecar) closeStore(context.Context) error {
	if s.store == nil {
		return nil
	}
	return s.store.Close()
}
