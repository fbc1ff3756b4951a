package config

// Chooser names the mode that suits an agent best, and says why, as the end of a sentence.
type Chooser func(c *Config) (mode, why string)

// settleAuto replaces the mode auto by the one that is best for the command. Without a
// command, or somebody to choose, it stays, which is a fault elsewhere.
func (l *loader) settleAuto() {
	c := &l.Config
	if c.Mode != ModeAuto || l.sources.Choose == nil || len(c.Command) == 0 {
		return
	}
	c.Mode, c.ModeWhy = l.sources.Choose(c)
	for i := range l.Values {
		if v := &l.Values[i]; v.Setting.Name == "mode" {
			v.Text = ModeAuto + ": " + c.Mode + ", because " + c.ModeWhy
		}
	}
}

// Person reports whether a person's terminal would become the agent's in the mode pty; foreground
// is as for Passthrough.
func (c *Config) Person(foreground bool) bool {
	return foreground && c.Sessions == 1 && c.Terminal == "auto"
}
