package sidecar

import (
	"context"
	"errors"

	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

// openStore opens what keeps tasks over restarts, where there is such a place.
// One that somebody asked for must work. The one of the platform's workspace
// need not: there the sidecar goes on in memory, and says so. In use, damaged or
// of a newer version it is a fault in both cases.
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

// closeStore writes what waits to be written.
func (s *sidecar) closeStore(context.Context) error {
	if s.store == nil {
		return nil
	}
	return s.store.Close()
}
