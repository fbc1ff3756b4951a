package learn

import (
	"slices"
	"strings"
	"unicode"
)

var (
	// duration fits how long something took, and timed a remark below an answer that tells it:
	// things with dots between them, of which one ends so.
	duration  = expression(`<?\b\d+(?:[.,]\d+)?(?:ms|s|m|h)\b(?: \d+(?:s|m)\b)*`)
	timed     = expression(`^[^.!?]* <?\d+(?:[.,]\d+)?(?:ms|s|m|h)(?: \d+(?:s|m))* [·•] |^[^.!?]* [·•] (?:.* )?<?\d+(?:[.,]\d+)?(?:ms|s|m|h)(?: \d+(?:s|m))*(?: [·•] |$)`)
	remarking = expression(remarkRow)
)

// barred reports whether a row of an answer begins as the echo of a message does, with a line.
func (l *Learner) barred(lead string) bool {
	re := l.leadRE.of(`^` + begin(lead))
	return slices.ContainsFunc(l.answers, func(a answer) bool { return slices.ContainsFunc(a.rows, re.MatchString) })
}

// marks reports whether an answer begins with what an echo begins with: then only its text tells
// an echo.
func (l *Learner) marks(lead string) bool {
	lead = strings.TrimFunc(lead, isBlank)
	return slices.ContainsFunc(l.answers, func(a answer) bool { return a.mark != 0 && lead == string(a.mark) })
}

// remarksMax is how many forms of a remark below an answer are kept.
const remarksMax = 3

// chrome returns patterns of the rows that stand first or last in all answers, and of those
// that tell how long an answer took.
func (l *Learner) chrome() (all []string) {
	for _, a := range l.answers {
		if a.remark != "" && !slices.Contains(all, rowPattern(a.remark)) && len(all) < remarksMax {
			all = append(all, rowPattern(a.remark))
		}
	}
	if len(l.answers) < 2 {
		return all
	}
	for _, end := range []func(rows []string) string{func(rows []string) string { return rows[0] }, func(rows []string) string { return rows[len(rows)-1] }} {
		same, count := "", 0
		for _, a := range l.answers {
			if len(a.rows) < 2 {
				continue
			}
			row := numberless(end(a.rows))
			if count++; count == 1 {
				same = row
			} else if row != same {
				same = ""
			}
		}
		if count > 1 && same != "" {
			all = append(all, shape(same))
		}
	}
	return all
}

// rowPattern is a pattern of a row whose numbers may change.
func rowPattern(row string) string {
	return shape(numberless(row))
}

// shape is a pattern of what numberless returns.
func shape(row string) string {
	return "^" + strings.ReplaceAll(strings.ReplaceAll(quote(row), "#N", `\d+`), "#D", `<?\d[\d., hms]*`) + "$"
}

// numberless returns a row with #N in place of each number, and #D of how long something took.
func numberless(row string) string {
	row = duration().ReplaceAllString(row, "#D")
	var b strings.Builder
	in := false
	for _, r := range row {
		if digit := unicode.IsDigit(r); digit != in {
			if in = digit; in {
				b.WriteString("#N")
			}
		}
		if !in {
			b.WriteRune(r)
		}
	}
	return b.String()
}
