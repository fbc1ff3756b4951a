package reaper

// Register runs spawn, which starts a process, and keeps the reaper from taking that process's
// exit status. The caller waits for the process and then calls release. Nobody else ends the
// process.
func Register(spawn func() (pid int, err error)) (release func(), err error) {
	t, err := Shared().Start(Untagged, spawn)
	if err != nil {
		return nil, err
	}
	return t.Release, nil
}
