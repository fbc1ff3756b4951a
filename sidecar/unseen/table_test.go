package unseen_test

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// row is a program and what its steps came to.
type row struct {
	program
	missing string
	steps   []*outcome
}

// count is how many of the steps are so.
func (r *row) count(so func(*outcome) bool) (n int) {
	for _, o := range r.steps {
		if so(o) {
			n++
		}
	}
	return n
}

func right(o *outcome) bool   { return o.right }
func ended(o *outcome) bool   { return o.ended }
func wrong(o *outcome) bool   { return o.wrong }
func asks(o *outcome) bool    { return o.Asks != "" }
func offered(o *outcome) bool { return o.offered }

// delays are the times from the real end to the completed task, in their order.
func (r *row) delays() (all []time.Duration) {
	for _, o := range r.steps {
		if !o.complete.IsZero() {
			all = append(all, o.delay)
		}
	}
	slices.Sort(all)
	return all
}

func middle(sorted []time.Duration) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }

// total is all rows in one.
func total(rows []*row) *row {
	all := &row{program: program{Name: "**all**"}}
	for _, r := range rows {
		all.steps = append(all.steps, r.steps...)
	}
	return all
}

// markdown is what was measured, with what was not as it had to be below it.
func markdown(rows []*row) string {
	var b, why strings.Builder
	b.WriteString("| program | kind | messages right | ends right | completed while it asked | questions offered | delay, median | delay, longest |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|\n")
	ran := 0
	for _, r := range rows {
		if r.missing != "" {
			fmt.Fprintf(&b, "| %s | %s | not installed: %s | | | | | |\n", r.Name, r.Kind, r.missing)
			continue
		}
		ran++
		b.WriteString(r.line())
		for i, o := range r.steps {
			if o.why != "" {
				fmt.Fprintf(&why, "- %s %d, `%s`: %s\n", r.Name, i+1, o.Say, strings.TrimSuffix(o.why, "; "))
			}
		}
	}
	all := total(rows)
	b.WriteString(all.line())
	fmt.Fprintf(&b, "\n%d programs: %.1f %% of %d messages exact, %d completed while they asked, median delay %s s.\n",
		ran, all.exact(), len(all.steps), all.count(wrong), seconds(middle(all.delays())))
	return b.String() + "\n" + why.String()
}

// exact is how many of a hundred messages are right.
func (r *row) exact() float64 { return 100 * float64(r.count(right)) / float64(max(1, len(r.steps))) }

func (r *row) line() string {
	n, delays := len(r.steps), r.delays()
	questions := ""
	if asked := r.count(asks); asked > 0 {
		questions = fmt.Sprintf("%d/%d", r.count(offered), asked)
	}
	longest := time.Duration(0)
	if len(delays) > 0 {
		longest = delays[len(delays)-1]
	}
	return fmt.Sprintf("| %s | %s | %d/%d | %d/%d | %d | %s | %s | %s |\n", r.Name, r.Kind, r.count(right), n, r.count(ended), n,
		r.count(wrong), questions, seconds(middle(delays)), seconds(longest))
}
