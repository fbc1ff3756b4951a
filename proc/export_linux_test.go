package proc

// Registered starts a process that the reaper leaves alone, without a Host.
// release gives the pid up.
func Registered(spawn func() (int, error)) (release func(), err error) {
	t, err := processReaper().start(untagged, spawn)
	if err != nil {
		return nil, err
	}
	return t.release, nil
}
