package unseen_test

import (
	"cmp"
	_ "embed"
	"flag"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	only  = flag.String("only", "", "the programs whose names this expression fits; all without it")
	held  = flag.Bool("held", false, "only the steps of testdata/held.txt, each of which has to be right")
	table = flag.String("table", "", "a file for the table")
	casts = flag.String("casts", "", "a folder for the recording of each program, and what its sidecar logged")
)

// The thresholds of the list. Those of the further list are what it has reached: they must only rise.
const (
	wantExact    = 90.0 // of a hundred messages
	wantDelay    = 500 * time.Millisecond
	wantFurther  = 80.0
	furtherWrong = 6 // completed while they asked
)

// TestUnseen drives each program of the list that is installed and counts what a client gets. Without -held, the whole
// has to reach the thresholds; a single message may fail.
func TestUnseen(t *testing.T) {
	alone(t)
	all, actors := list(t)
	var rows []*row
	chosen := regexp.MustCompile("^(" + cmp.Or(*only, ".*") + ")$")
	t.Run("programs", func(t *testing.T) {
		for _, p := range slices.Concat(all, actors) {
			if !chosen.MatchString(p.Name) || *held && len(heldSteps(t, p)) == 0 {
				continue
			}
			r := &row{program: p}
			rows = append(rows, r)
			t.Run(p.Name, func(t *testing.T) {
				t.Parallel() // as many as -parallel says
				r.drive(t)
			})
		}
	})
	first, further := split(rows)
	text := markdown(first)
	if len(further) > 0 {
		text += "\nThe further list:\n\n" + markdown(further)
	}
	t.Log("\n" + text)
	if *table != "" {
		if err := os.WriteFile(*table, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	if *held {
		return
	}
	reaches(t, first, wantExact, 0)
	reaches(t, further, wantFurther, furtherWrong)
}

// split parts the rows of the further list from the others.
func split(rows []*row) (first, further []*row) {
	for _, r := range rows {
		if r.further {
			further = append(further, r)
		} else {
			first = append(first, r)
		}
	}
	return first, further
}

// reaches fails the test if a list does not reach its thresholds.
func reaches(t *testing.T, rows []*row, exact float64, wrongs int) {
	t.Helper()
	if sum := total(rows); len(sum.steps) > 0 && (sum.exact() < exact || sum.count(wrong) > wrongs || middle(sum.delays()) > wantDelay) {
		t.Errorf("%.1f %% exact, %d completed while they asked, median delay %s s", sum.exact(), sum.count(wrong), seconds(middle(sum.delays())))
	}
}

// drive plays the steps of a program, and measures them.
func (r *row) drive(t *testing.T) {
	l := newPlace(t, r.Name)
	if r.missing = l.missing(r.program); r.missing != "" {
		t.Skipf("%s is not installed", r.missing)
	}
	l.furnish(t, r.program)
	under := start(t, r.program, l)
	for _, s := range r.Steps {
		r.steps = append(r.steps, under.play(s))
	}
	recorded(t, under.cast()).measure(r.steps)
	under.keep(t, *casts)
	for _, n := range heldSteps(t, r.program) {
		if o := r.steps[n-1]; *held && !o.right {
			t.Errorf("step %d, %q, was right once: %s", n, o.Say, o.why)
		}
	}
}

//go:embed testdata/held.txt
var heldText string

// heldSteps are the numbers of the steps of a program that have been right once.
func heldSteps(t *testing.T, p program) (steps []int) {
	t.Helper()
	for line := range strings.Lines(heldText) {
		name, numbers, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != p.Name {
			continue
		}
		for word := range strings.FieldsSeq(numbers) {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 || n > len(p.Steps) {
				t.Fatalf("testdata/held.txt: %s", line)
			}
			steps = append(steps, n)
		}
	}
	return steps
}

// alone skips the test where no sidecar is named, and fails it where there is a network: the programs are other
// people's, and agents look up hosts whatever their switches say.
func alone(t *testing.T) {
	t.Helper()
	if os.Getenv("SIDECAR_BIN") == "" {
		t.Skip("the programs are driven by .ci/unseen")
	}
	all, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		if i.Flags&net.FlagLoopback == 0 {
			t.Fatalf("there is a network (%s): .ci/unseen runs the programs where there is none", i.Name)
		}
	}
}
