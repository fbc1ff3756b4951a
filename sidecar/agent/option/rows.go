package option

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

const (
	// footMax is how many rows may stand below the options: hints on several rows, and the lower
	// border of a box.
	footMax = 12
	// statusMax is how many rows of a status may stand below the hints, or of a description of the
	// marked option above them.
	statusMax = 3
	// countGap is how many rows away from the options a count of them may stand: a header or a
	// line may be between them.
	countGap = 3
	// inputLineMin is how many characters of a line a row has at least to be the edge of an input.
	inputLineMin = 8
)

var (
	// hint matches a row that says which keys do what.
	hint = expression(`(?i)[↑↓←→⏎↵].*\b(?:move|navigate|select|highlight|toggle|choose|submit|confirm|enter|arrows?|up|down)\b|\b(?:enter|return|esc|escape|tab|space|arrows?|arrow-keys|ctrl[-+]\w|j/k)\b.*(?:\bto |confirm|select|submit|cancel|dismiss|continue|back|toggle|navigate|move|complete|choose)`)
	// count matches how many options there are: 3/10, (2/14), 4/4 (1), 2 of 14.
	count = expression(`^\s*[<>]?\s*[\[(]?\d+(?:/| of )\d+[\])]?(?:\s*\(\d+\))?\s*$`)
	// countAtEnd matches a count at the right end of the row in which a word is typed.
	countAtEnd = expression(`\s{3,}\(\d+/\d+\)(?: \[\d+/\d+\])?$`)
	// marksCount matches a count with how many options are checked: 4/4 (1).
	marksCount = expression(`^\s*[<>]?\s*\d+/\d+ \(\d+\)\s*$`)
	// wants matches the last row of a question. arrow-keys is in enquirer's and prompts' hint that
	// ends the row of their question.
	wants = expression(`(?i)[?:]\s*[›»…]?$|^[?◆] |\b(?:choose|select|pick|which|arrow-keys)\b`)
	// asking matches the row of a question whose text ends at the cursor.
	asking = expression(`^\? `)
	// searched matches a prompt after which a word is searched, such as fzf's.
	searched = expression(`^(?:[│┃] ?)?\S{0,12}[>❯›:] ?\S*$`)
	// choosesWith matches a hint about the keys that choose an option.
	choosesWith = expression(`(?i)\b(?:navigate|select|choose|move|pick|highlight)\b`)
	// toggled matches a hint about a key that checks a box.
	toggled = expression(`(?i)\b(?:space|tab|x)\b.{0,12}\b(?:toggle|select)`)
)

// isHint reports whether a row says which keys do what. Several readers ask this about each row,
// and the expression is a large one.
func (v *screen) isHint(y int) bool {
	is, known := v.hints[y]
	if !known {
		is = hint().MatchString(v.text(y))
		v.hints[y] = is
	}
	return is
}

// shortMax is how many bytes a row has at most that only counts options or shows that a list goes
// on, without the blanks around it.
const shortMax = 80

// isCount reports whether a row says only how many options there are.
func isCount(row string) bool {
	row = strings.TrimSpace(row)
	return len(row) <= shortMax && count().MatchString(row)
}

// isFooter reports whether a row may stand below the options.
func (v *screen) isFooter(y int) bool {
	row := unframed(v.text(y))
	return blank(row) || v.isHint(y) || text.Spins(row) || isCount(row) || v.goesOn(y) || v.shown && y == v.row
}

// hintsOverStatus returns the row of the hints that have a status of up to statusMax rows below
// them. On the main screen such rows may have been printed after the options; only a cursor above
// them shows that they were not.
func (v *screen) hintsOverStatus() (hints int, ok bool) {
	for y, rows := v.last, 0; y >= 0 && rows <= statusMax; y-- {
		switch row := v.text(y); {
		case v.isHint(y):
			return y, rows > 0 && (v.alternate || v.shown && v.row < y)
		case !blank(row):
			rows++
		}
	}
	return 0, false
}

// rows reads options one below the other, of which one is marked, above the hints at the bottom
// of the screen.
func rows(v *screen) (Set, bool) {
	set, ok := v.rowsAbove(v.last)
	if hints, below := v.hintsOverStatus(); !ok && below {
		return v.rowsAbove(hints)
	}
	return set, ok
}

// framed reads rows or buttons in the lowest box of a screen that hides its cursor.
func framed(v *screen) (Set, bool) {
	f, ok := v.lowestFrame()
	if !ok || v.shown {
		return Set{}, false
	}
	inner := v.within(f)
	for y := f.bottom + 1; y <= v.last; y++ {
		inner.hintsBelow = inner.hintsBelow || v.isHint(y)
	}
	for _, read := range []func(*screen) (Set, bool){rows, pairedRows, buttons} {
		if set, ok := read(inner); ok && set.Text != "" { // without a text, it may be an input
			set.Detail = v.title(f)
			return set, true
		}
	}
	return Set{}, false
}

// rowsAbove is rows for a screen that ends with the row bottom.
func (v *screen) rowsAbove(bottom int) (Set, bool) {
	if v.shown && v.column > 0 && v.row == v.last && !blank(v.before) && !searched().MatchString(v.before) {
		return Set{}, false // a prompt is there
	}
	hints, chooses, remarks := v.hintsBelow, false, 0
	for y, end := bottom, bottom-footMax; y >= 0 && y > end; y-- {
		if v.isFooter(y) {
			if v.alternate && blank(v.text(y)) {
				end-- // the program has the whole screen, and its hints may stand at the bottom
			}
			if set, ok := v.rowsAtCursor(y); ok && hints {
				return set, true
			}
			hints = hints || v.isHint(y)
			chooses = chooses || v.isHint(y) && choosesWith().MatchString(v.text(y))
			continue
		}
		b, ok := v.block(y)
		if ok {
			b.chooses = chooses
			set, ok := b.set(hints)
			return set, ok && (remarks == 0 || b.pointer != 0 && blank(v.text(b.items[len(b.items)-1].row+1)))
		}
		if remarks++; !chooses || v.shown || remarks > statusMax || isInputLine(v.text(y)) {
			return Set{}, false
		}
	}
	return Set{}, false
}

// rowsAtCursor reads the options that end with a row, if the cursor is shown there.
func (v *screen) rowsAtCursor(y int) (Set, bool) {
	if !v.shown || v.row != y {
		return Set{}, false
	}
	b, ok := v.block(y)
	if !ok || !b.cursorOnRow() {
		return Set{}, false
	}
	return b.set(true)
}

// isCounted reports whether a row near the options says how many there are.
func (b *block) isCounted() bool {
	first, last := b.items[0].row, b.items[len(b.items)-1].row
	for n := 1; n <= countGap; n++ {
		if isCount(unframed(b.v.text(first-n))) || isCount(unframed(b.v.text(last+n))) {
			return true
		}
	}
	return b.v.shown && b.v.row == first-1 && countAtEnd().MatchString(b.v.text(b.v.row))
}

// isInputLine reports whether a row is the upper or lower line of an input.
func isInputLine(row string) bool {
	n := 0
	for _, r := range row {
		if strings.ContainsRune("─━═▀▄", r) {
			n++
		}
	}
	return n >= inputLineMin
}

// set returns the options, if these rows are a question and not a text.
func (b *block) set(hints bool) (Set, bool) {
	first := b.items[0]
	above, top := b.v.above(b.top, 0, bytesMax)
	asks := len(above) > 0 && slices.ContainsFunc(above, func(s string) bool { return wants().MatchString(s) || hint().MatchString(s) })
	menu := hints && asks && b.cursorOnRow() || b.isSearched(hints)
	bullet := b.marked >= 0 && b.items[b.marked].bullet && b.pointer != '●'
	counted := b.isCounted()
	switch {
	case !counted && isInputLine(b.v.text(first.row-1)):
		return Set{}, false // the lines of an input
	case !counted && !hints && len(above) == 0 && command().MatchString(strings.TrimSpace(b.v.text(top-1))):
		return Set{}, false // words that complete what is typed
	case b.v.shown && !counted && !asks:
		return Set{}, false
	case b.v.shown && !b.clear && !menu, bullet && !b.clear && (b.v.shown || !hints || !asks && !(b.v.alternate && b.chooses)):
		return Set{}, false // what a program prints looks so, too
	case b.pointer == 0 && !b.clear && !hints && first.box == noBox && (len(above) == 0 || !asking().MatchString(above[len(above)-1])):
		return Set{}, false // a word of a text in colour
	case !hints && !asks && !counted, b.heading && !hints:
		return Set{}, false
	}
	above = slices.DeleteFunc(above, func(row string) bool {
		return isCount(row) || strings.Trim(row, pointers) == "" // they change with each key
	})
	set := Set{Rule: "rows with one marker", Text: join(above), Axis: Down, Marked: b.marked}
	for n, i := range b.items {
		id := i.id
		if id == "" {
			id = strconv.Itoa(n + 1)
		}
		o := Option{ID: id, Label: i.label, Box: i.box != noBox, Checked: i.checked}
		if b.v.marks {
			o.Toggle = "\t"
		}
		set.Options = append(set.Options, o)
	}
	return set, true
}

// isSearched reports whether a word that narrows down the options is typed in the row above them.
func (b *block) isSearched(hints bool) bool {
	if !b.v.shown || b.v.row != b.top-1 || b.marked < 0 {
		return false
	}
	return asking().MatchString(b.v.before) && (hints && b.pointer != 0 || waiting().MatchString(b.v.before))
}
