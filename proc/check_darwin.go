package proc

// rehearse asks nobody: a process that is traced there is not ours to end.
func (h *Host) rehearse(string, *Command) error { return errUntold }
