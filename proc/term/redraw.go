package term

// Redraw returns the sequences that draw the present screen, with its modes, on
// an empty terminal of the same size.
func (s *Screen) Redraw() []byte { return nil }
