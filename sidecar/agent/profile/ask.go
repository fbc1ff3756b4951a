package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

const (
	askOptionsMax = 20      // options of one question
	askTextRows   = 8       // rows of the question itself
	askSearchRows = 40      // how far above the options the text is looked for
	detailMax     = 8 << 10 // bytes of Question.Detail
	framesMax     = 2       // frames around a row
)

// row is one option as it stands on the screen.
type row struct {
	number int // 0 if the option has none
	marked bool
	label  string
}

// read reads a question that looks like this one; false means that there is none.
func (a *Ask) read(v view) (*Question, bool) {
	if !a.Look.fits(nil, v) {
		return nil, false
	}
	if len(a.Fixed) > 0 {
		return a.fixed(v)
	}
	rows := a.inside(v.rows)
	end := a.aboveFoot(rows)
	if end == 0 {
		return nil, false
	}
	options, first, ok := a.options(rows[:end])
	if !ok {
		return nil, false
	}
	from, to, ok := a.textRows(rows, first)
	if !ok {
		return nil, false
	}
	q := &Question{Kind: a.Kind, Rule: a.Rule, Cancel: a.Cancel, Text: JoinRows(rows[from:to])}
	if groups := a.Text.Groups(rows[from]); len(groups) > 1 {
		q.Text, to = JoinRows(groups[1:2]), from+1
	}
	q.Detail = a.detail(rows[:from], rows[to:first])
	q.Options = a.choices(options)
	q.moves(a, options)
	q.ID = q.identity()
	return q, len(q.Options) > 0
}

// fixed returns the question in the row of the cursor.
func (a *Ask) fixed(v view) (*Question, bool) {
	q := &Question{Kind: a.Kind, Rule: a.Rule, Cancel: a.Cancel, Text: JoinRows([]string{v.cursor})}
	for i, o := range a.Fixed {
		q.Options = append(q.Options, Option{ID: strconv.Itoa(i + 1), Label: o.Label, Kind: o.Kind, Keys: a.Cursor.fill(o.Keys, v.cursor)})
	}
	q.ID = q.identity()
	return q, q.Text != ""
}

// inside removes the sides of the frame from the rows.
func (a *Ask) inside(rows []string) []string {
	if a.Strip == nil {
		return rows
	}
	inner := make([]string, len(rows))
	for i, r := range rows {
		for range framesMax {
			groups := a.Strip.Groups(r)
			if groups == nil {
				break
			}
			r = strings.TrimRight(Group(groups, 1), " ")
		}
		inner[i] = r
	}
	return inner
}

// aboveFoot returns where the options end: after the last row that is neither blank
// nor a foot.
func (a *Ask) aboveFoot(rows []string) int {
	end := len(rows)
	for end > 0 && (Blank(rows[end-1]) || FitsAny(a.Foot, rows[end-1])) {
		end--
	}
	return end
}

// options reads the options at the end of the rows, and returns the row at which they
// begin.
func (a *Ask) options(rows []string) (options []row, first int, ok bool) {
	if a.Columns {
		options = a.columns(rows[len(rows)-1])
		return options, len(rows) - 1, len(options) >= 2
	}
	var more []string // of the option above, the lowest first
	for first = len(rows); first > 0 && len(options) < askOptionsMax; {
		text := rows[first-1]
		option, is := a.option(text)
		switch {
		case is:
			slices.Reverse(more)
			option.label = strings.TrimSpace(strings.Join(append([]string{option.label}, more...), " "))
			more = nil
			options = append(options, option)
		case a.More.Groups(text) != nil && len(more) < askTextRows:
			if extra := Group(a.More.Groups(text), 1); extra != "" {
				more = append(more, strings.TrimSpace(extra))
			}
		default:
			slices.Reverse(options)
			return options, first + len(more), a.sound(options) && len(more) == 0
		}
		first--
		if is && option.number == 1 {
			break
		}
	}
	slices.Reverse(options)
	return options, first, a.sound(options) && len(more) == 0
}

func (a *Ask) option(shown string) (row, bool) {
	groups := a.Option.Groups(shown)
	if groups == nil {
		return row{}, false
	}
	named := func(name string) string { return Group(groups, max(a.Option.re.SubexpIndex(name), 0)) }
	r := row{label: strings.TrimSpace(text.Line(named("label"), 0))}
	if a.Option.re.SubexpIndex("marker") > 0 {
		r.marked = strings.TrimSpace(named("marker")) != ""
	}
	if a.Option.re.SubexpIndex("number") > 0 {
		r.number, _ = strconv.Atoi(named("number")) // 0 if it is no number
	}
	return r, r.label != ""
}

// sound reports whether these can be the options of one question: there are at least
// two, they are numbered from one if they have numbers, and one of them is marked.
func (a *Ask) sound(options []row) bool {
	marked := 0
	for i, o := range options {
		if o.marked {
			marked++
		}
		if o.number != options[0].number+i && (o.number != 0 || options[0].number != 0) {
			return false
		}
	}
	if a.Option.re.SubexpIndex("marker") < 0 {
		marked = 1 // the chosen option is shown by colours alone
	}
	return len(options) >= 2 && options[0].number <= 1 && marked == 1
}

// columns splits the one row that holds all options.
func (a *Ask) columns(text string) []row {
	index := a.Option.re.SubexpIndex("label")
	groups := a.Option.Groups(text)
	if groups == nil || index < 0 {
		return nil
	}
	var options []row
	for label := range strings.SplitSeq(strings.TrimSpace(groups[index]), "  ") {
		label = strings.TrimSpace(label)
		if label == "" {
			continue
		}
		if a.rule(label) == nil || len(options) == askOptionsMax {
			break
		}
		options = append(options, row{label: label, marked: len(options) == 0})
	}
	return options
}

// textRows finds the rows of the question above the options.
func (a *Ask) textRows(rows []string, first int) (from, to int, ok bool) {
	to = first
	for to > 0 && Blank(rows[to-1]) {
		to--
	}
	if a.Text == nil {
		for from = to; from > 0 && to-from < askTextRows && !Blank(rows[from-1]) && !a.border(rows[from-1]); {
			from--
		}
		return from, to, from < to
	}
	for i := to - 1; i >= max(0, first-askSearchRows); i-- {
		if a.Text.Fits(rows[i]) {
			return i, i + endOfText(rows[i:to]), true
		}
		if a.border(rows[i]) {
			break
		}
	}
	return 0, 0, false
}

// endOfText returns how many rows a wrapped text takes: those up to a blank row.
func endOfText(rows []string) int {
	n := slices.IndexFunc(rows, Blank)
	if n < 0 {
		n = len(rows)
	}
	return min(n, askTextRows)
}

func (a *Ask) border(text string) bool { return a.Above.Fits(text) }

// detail returns what stands between the border and the text, and between the text and
// the options.
func (a *Ask) detail(over, under []string) string {
	top := len(over)
	if a.Above != nil {
		for top > 0 && !a.border(over[top-1]) {
			top--
		}
	}
	var kept []string
	for _, r := range slices.Concat(over[top:], under) {
		if !FitsAny(a.Skip, r) {
			kept = append(kept, r)
		}
	}
	return text.Cut(dedent(kept), detailMax)
}

// choices sets the meaning and the keys of each option.
func (a *Ask) choices(options []row) []Option {
	marked := max(0, slices.IndexFunc(options, func(o row) bool { return o.marked }))
	out := make([]Option, 0, len(options))
	for i, o := range options {
		option := Option{ID: strconv.Itoa(i + 1), Label: o.label, Kind: Other}
		rule := a.rule(o.label)
		if rule == nil {
			rule = &OptionRule{Kind: Other}
		}
		option.Kind = rule.Kind
		switch {
		case rule.Skip:
			continue
		case len(rule.Keys) > 0:
			option.Keys = numbered(rule.Keys, i+1)
		case rule.key(o.label) != "":
			option.Keys = []string{rule.key(o.label)}
		case a.Choose == ChooseNumber && i < 9:
			option.Keys = []string{strconv.Itoa(i + 1)}
		default:
			option.Keys = a.arrows(i - marked)
		}
		out = append(out, option)
	}
	return out
}

// numbered puts the option's number into its keys.
func numbered(keys []string, n int) []string {
	filled := make([]string, len(keys))
	for i, k := range keys {
		filled[i] = strings.ReplaceAll(k, "{number}", strconv.Itoa(n))
	}
	return filled
}

// arrows returns the keys that move the marker by so many options and choose the
// option there.
func (a *Ask) arrows(by int) []string {
	key := "\x1b[B" // down
	switch {
	case a.Columns && by < 0:
		key = "\x1b[D"
	case a.Columns:
		key = "\x1b[C"
	case by < 0:
		key = "\x1b[A"
	}
	return append(slices.Repeat([]string{key}, max(by, -by)), "\r")
}

func (a *Ask) rule(label string) *OptionRule {
	for i := range a.Options {
		if a.Options[i].Match.Fits(label) {
			return &a.Options[i]
		}
	}
	return nil
}

// key returns the key that the label itself names.
func (r *OptionRule) key(label string) string {
	i := -1
	if r.Match.re != nil {
		i = r.Match.re.SubexpIndex("key")
	}
	if i < 0 {
		return ""
	}
	if key := Group(r.Match.Groups(label), i); key != "esc" {
		return key
	}
	return "\x1b"
}

// identity returns a hash of the question, without blanks and without the marker,
// which a person may move.
func (q *Question) identity() string {
	h := sha256.New()
	write := func(s string) { h.Write([]byte(strings.Join(strings.Fields(s), " ") + "\x00")) }
	write(q.Rule)
	write(q.Text)
	write(q.Detail)
	for _, o := range q.Options {
		write(o.Label)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
