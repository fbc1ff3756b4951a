package output

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Rules say what is a secret. The zero value takes nothing out.
type Rules struct {
	// Patterns are regular expressions in the syntax of Go's regexp, without ^, $ and \b.
	// Each must have a bound, but for a single character at its very end.
	Patterns []string
	// Values are secrets themselves, taken out as they are, in base64, and as escaped for
	// URLs and JSON; white space around a value does not count. An empty value is left out.
	Values []Value
	// Shapes are names of Shapes.
	Shapes []string
}

// Value is a secret and the name by which errors speak of it: that of its variable.
type Value struct{ Name, Secret string }

// PatternError says what is wrong with a pattern.
type PatternError struct {
	Index   int // in Rules.Patterns
	Pattern string
	Problem string
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("pattern %q: %s", e.Pattern, e.Problem)
}

// ShapeError names a shape that is not known.
type ShapeError struct {
	Index int // in Rules.Shapes
	Name  string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("there is no shape %q; there are %s", e.Name, strings.Join(ShapeNames(), ", "))
}

// ShapeNames returns the names of all shapes.
func ShapeNames() []string {
	names := make([]string, len(shapes))
	for i, s := range shapes {
		names[i] = s.Name
	}
	return names
}

// CheckPattern returns why a pattern cannot be used, nil if it can.
func CheckPattern(expr string) error { return new(positions).pattern(expr) }

// CheckRules returns why rules cannot be used, each or all together, nil if they can.
func CheckRules(r Rules) error { return new(positions).rules(r) }

// Redactor takes out what its rules say. It may be used from many goroutines. A nil
// Redactor takes nothing out.
type Redactor struct {
	rules    Rules
	a        *automaton
	machines sync.Pool // of *machine, which remember what they have met
}

// NewRedactor returns a redactor, nil if the rules take nothing out. The error joins all
// that is wrong with the rules: PatternErrors, ShapeErrors, and values that are too long
// or too short to be taken out, by their names.
func NewRedactor(r Rules) (*Redactor, error) {
	var all positions
	err := all.rules(r)
	if err != nil || len(all.all) == 0 {
		return nil, err
	}
	made := &Redactor{rules: r, a: newAutomaton(all)}
	made.machines.New = func() any { return newMachine(made.a) }
	return made, nil
}

// With returns a redactor that takes out these values in addition.
func (r *Redactor) With(more ...Value) (*Redactor, error) {
	if len(more) == 0 {
		return r, nil
	}
	var rules Rules
	if r != nil {
		rules = r.rules
	}
	rules.Values = slices.Concat(rules.Values, more)
	return NewRedactor(rules)
}

func (a *positions) rules(r Rules) error {
	return errors.Join(a.patterns(r.Patterns), a.shapes(r.Shapes), a.values(r.Values))
}

func (a *positions) patterns(all []string) error {
	var faults []error
	for i, expr := range all {
		if err := a.pattern(expr); err != nil {
			faults = append(faults, &PatternError{i, expr, err.Error()})
		}
	}
	return errors.Join(faults...)
}

func (a *positions) shapes(names []string) error {
	var faults []error
	for i, name := range names {
		at := slices.IndexFunc(shapes[:], func(s Shape) bool { return s.Name == name })
		if at < 0 {
			faults = append(faults, &ShapeError{i, name})
			continue
		}
		for _, expr := range shapes[at].patterns {
			from := len(a.all)
			if err := a.pattern(expr); err != nil {
				faults = append(faults, fmt.Errorf("shape %s: %w", name, err))
			}
			for p := from; p < len(a.all); p++ {
				a.all[p].block = shapes[at].block
			}
		}
	}
	return errors.Join(faults...)
}

func (a *positions) values(all []Value) error {
	var faults []error
	for _, v := range all {
		secret := strings.TrimSpace(v.Secret)
		switch {
		case secret == "":
			continue
		case len(secret) < LeastValue:
			faults = append(faults, fmt.Errorf("the value of %s has %d bytes and is in many words by chance: at least %d can be taken out", v.Name, len(secret), LeastValue))
			continue
		case len(secret) > LongestValue:
			faults = append(faults, fmt.Errorf("the value of %s has %d bytes: at most %d can be taken out", v.Name, len(secret), LongestValue))
			continue
		}
		for _, form := range forms(secret) {
			if err := a.value(form); err != nil {
				faults = append(faults, fmt.Errorf("the value of %s: %w", v.Name, err))
			}
		}
	}
	return errors.Join(faults...)
}

func (a *positions) value(form string) error {
	from := len(a.all)
	rule, err := a.literal(form)
	if err != nil {
		return err
	}
	return a.finish(rule, from)
}

func (r *Redactor) machine() *machine {
	m, _ := r.machines.Get().(*machine) // New makes no other
	return m
}

func (r *Redactor) release(m *machine) { r.machines.Put(m) }

// Stream returns a stream for one text, nil for a nil Redactor.
func (r *Redactor) Stream() *Stream {
	if r == nil {
		return nil
	}
	return &Stream{r: r}
}

// Bytes returns a text without its secrets, and whether there were any. It returns the
// text itself if there were none.
func (r *Redactor) Bytes(text []byte) (redacted []byte, found bool) {
	if r == nil || len(text) == 0 {
		return text, false
	}
	s := r.Stream()
	redacted = append(redacted, s.Next(text)...)
	redacted = append(redacted, s.Close()...)
	if !s.Found() {
		return text, false
	}
	return redacted, true
}

// Text is Bytes for a string.
func (r *Redactor) Text(s string) (redacted string, found bool) {
	if r == nil || s == "" {
		return s, false
	}
	b, found := r.Bytes([]byte(s))
	if !found {
		return s, false
	}
	return string(b), true
}
