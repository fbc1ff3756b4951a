package term

// Drawing counts what only a program does that draws a screen, and a program that prints
// lines or edits one does seldom. It begins anew when the program switches bracketed paste
// (2004) on or off, as line editors do around each line, and when it leaves the alternate
// screen: what stands in it was done by what has the terminal now.
type Drawing struct {
	// Frames is how many frames (mode 2026) were begun.
	Frames uint64
	// Raised is how often text was written above the row of the text before it.
	Raised uint64
	// AllRaised is Raised since the screen was made: it never begins anew.
	AllRaised uint64
	// Placed is how often the cursor was put into a row by its number since the screen was made.
	Placed uint64
}

// Redraws reports whether text was written above other text more often than a line editor does:
// that does so once or twice for a prompt of several rows.
func (d Drawing) Redraws() bool {
	const least = 4
	return d.Raised >= least
}

// drawings is a Drawing, and what it takes to count it.
type drawings struct {
	Drawing
	row int // of the last text
}

// over begins the count anew.
func (d *drawings) over(row int) {
	*d = drawings{Drawing: Drawing{AllRaised: d.AllRaised, Placed: d.Placed}, row: row}
}

// wrote notes that text was written in a row.
func (d *drawings) wrote(row int) {
	if row < d.row {
		d.Raised++
		d.AllRaised++
	}
	d.row = row
}
