package learn

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// chromeMax is how many rows right above the input are taken for a part of it.
	chromeMax = 8
	// commonMin is how many answers must have the same kind of row at an end so that the row is
	// not taken for text.
	commonMin = 2
	// rowPatternMax bounds the pattern of a row, in bytes. A longer row is known by its beginning.
	rowPatternMax = 300
	// shortPatternMax bounds the pattern of a row if chromeMax of them must fit in one pattern.
	shortPatternMax = 110
	// gapMin is how many blanks are written as a number in the pattern of a row.
	gapMin = 6
	// took is a pattern of how long something took.
	took = `<?\d[\d., hms]*`
)

const (
	// remarkRow matches what an agent adds below a row about its own work. No answer writes it.
	remarkRow = `^[ \x{a0}]*(?:⎿[ \x{a0}]|└[ \x{a0}]+Tip:)`
	// branchRow matches a row below a branch. It may be a remark as well, or a tree in an answer.
	branchRow = `^[ \x{a0}]*└[ \x{a0}]`
)

var (
	// duration matches how long something took.
	duration = expression(`<?\b\d+(?:[.,]\d+)?(?:ms|s|m|h)\b(?: \d+(?:s|m)\b)*`)
	// timed matches a remark below an answer that tells how long it took: things with dots
	// between them, one of which ends with a duration.
	timed     = expression(`^[^.!?]* <?\d+(?:[.,]\d+)?(?:ms|s|m|h)(?: \d+(?:s|m))* [·•] |^[^.!?]* [·•] (?:.* )?<?\d+(?:[.,]\d+)?(?:ms|s|m|h)(?: \d+(?:s|m))*(?: [·•] |$)`)
	remarking = expression(remarkRow)
	branching = expression(branchRow)
)

// branchesOff reports whether the rows of an answer show that a row below a branch is a remark:
// it follows a row with a mark, and a later part of the answer has the same mark.
func branchesOff(rows []string) bool {
	for i, row := range rows {
		if i == 0 || !branching().MatchString(row) {
			continue
		}
		if mark := glyph(rows[i-1]); mark != 0 && slices.ContainsFunc(rows[i+1:], func(row string) bool { return glyph(row) == mark }) {
			return true
		}
	}
	return false
}

// barred reports whether a row of an answer begins with the line that an echo begins with.
func (l *Learner) barred(lead string) bool {
	re := l.barRE.of(`^` + begin(lead))
	return slices.ContainsFunc(l.answers, func(a answer) bool { return slices.ContainsFunc(a.rows, re.MatchString) })
}

// marks reports whether an answer has the mark that an echo has. Then only the text of an echo
// distinguishes it.
func (l *Learner) marks(lead string) bool {
	lead = strings.TrimFunc(lead, isBlank)
	return slices.ContainsFunc(l.answers, func(a answer) bool { return a.mark != 0 && lead == string(a.mark) })
}

// sameAbove returns the rows right above the input that are the same before the first message
// and after its answer.
func (in *input) sameAbove(before, now *screen) (rows []string) {
	if !in.marked() {
		return nil
	}
	i, j := in.begins(before)-1, in.begins(now)-1
	if j+1 >= len(now.rows) || i+1 >= len(before.rows) {
		return nil
	}
	for same, n := true, 0; i >= 0 && j >= 0 && n < chromeMax && (same || before.rows[i] == now.rows[j]); i, j, n = i-1, j-1, n+1 {
		row := now.rows[j]
		if same = before.rows[i] == row; same && !blank(row) && !boxSide(row) {
			rows = append(rows, row)
		}
	}
	if j < 0 { // nothing was said
		return nil
	}
	return rows
}

// remarkPatterns returns patterns of the rows that tell how long an answer took. The row below
// the only answer is taken for one; of several answers, commonMin must have it.
func (l *Learner) remarkPatterns() (all []string) {
	count := map[string]int{}
	for _, a := range l.answers {
		if a.remark == "" {
			continue
		}
		p := rowPattern(a.remark, rowPatternMax)
		if count[p]++; count[p] == min(commonMin, len(l.answers)) {
			all = append(all, p)
		}
	}
	return all
}

// endPatterns returns patterns of the rows that stand first or last in all answers of several
// rows.
func (l *Learner) endPatterns() (all []string) {
	for _, end := range []func(rows []string) string{
		func(rows []string) string { return rows[0] },
		func(rows []string) string { return rows[len(rows)-1] },
	} {
		kinds, count := map[string]bool{}, 0
		last := ""
		for _, a := range l.answers {
			if len(a.rows) > 1 {
				last = rowPattern(end(a.rows), rowPatternMax)
				kinds[last] = true
				count++
			}
		}
		if count >= commonMin && len(kinds) == 1 {
			all = append(all, last)
		}
	}
	return all
}

// rowPattern returns a pattern of a row whose numbers and durations may change, of at most limit
// bytes. If there is no room for the whole row, the pattern matches rows that begin as it does.
func rowPattern(row string, limit int) string {
	var b strings.Builder
	b.WriteByte('^')
	times := duration().FindAllStringIndex(row, -1)
	for at := 0; at < len(row); {
		next, part := at, ""
		switch {
		case len(times) > 0 && times[0][0] == at:
			next, part, times = times[0][1], took, times[1:]
		case isDigit(row[at]):
			for next < len(row) && isDigit(row[next]) {
				next++
			}
			part = `\d+`
		case strings.HasPrefix(row[at:], strings.Repeat(" ", gapMin)):
			next = len(row) - len(strings.TrimLeft(row[at:], " "))
			part = fmt.Sprintf(" {%d}", next-at)
		default:
			_, size := utf8.DecodeRuneInString(row[at:])
			next = at + size
			part = quote(row[at:next])
		}
		if b.Len()+len(part)+len("$") > limit {
			return b.String()
		}
		b.WriteString(part)
		at = next
	}
	if len(row) > cellsMax-utf8.UTFMax { // the row may have been cut
		return b.String()
	}
	return b.String() + "$"
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
