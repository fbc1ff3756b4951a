package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// step is one change of one file.
type step struct {
	*document
	path    string
	after   string // what it will have
	removes bool
}

// steps returns what has to be done. Files are removed last: then what they had is somewhere at any time.
func steps(all []*patched) []step {
	var first, last []step
	for _, p := range all {
		if p.to != nil {
			first = append(first, step{document: p.to, path: p.New, after: p.content})
		}
		if p.from != nil && p.to != p.from {
			last = append(last, step{document: p.from, path: p.Old, removes: true})
		}
	}
	return append(first, last...)
}

// writePatched writes all files or none. If one cannot be written, or ctx ends, those before it get back what they had, unless somebody
// has changed them meanwhile; the error says what is as it was and what is not. Directories that were made stay.
func writePatched(ctx context.Context, c *Call, all []*patched) error {
	todo := steps(all)
	for i := range todo {
		if ctx.Err() != nil {
			return stopped(ctx, c, undo(c, todo[:i]))
		}
		if err := todo[i].do(c); err != nil {
			return fmt.Errorf("%w. %s", err, undo(c, todo[:i+1])) // the last one may have been done all the same
		}
	}
	return nil
}

// stopped writes the last words of a call that was stopped.
func stopped(ctx context.Context, c *Call, words string) error {
	_, _ = c.Out.Write([]byte("Stopped. " + words + "\n")) // the cause is told whatever becomes of them
	return context.Cause(ctx)
}

func (s *step) do(c *Call) error {
	if !s.removes {
		return s.replace(c, s.path, s.after)
	}
	if err := c.FS.Remove(s.path, s.info); err != nil {
		return unusable(s.shown, "removed", err)
	}
	return nil
}

// undo takes steps back, the last one first, and says in words what is as it was and what is not.
func undo(c *Call, done []step) string {
	var back, left []string
	for i := len(done) - 1; i >= 0; i-- {
		s := &done[i]
		was, err := s.undo(c)
		switch {
		case err != nil:
			left = append(left, text.Show(s.shown)+" ("+err.Error()+")")
		case !was:
			back = append(back, text.Show(s.shown))
		}
	}
	switch {
	case len(left) > 0 && len(back) > 0:
		return fmt.Sprintf("Taken back: what was done to %s. Not as they were: %s", text.Enumerate(back, "and"), strings.Join(left, ", "))
	case len(left) > 0:
		return "Not as they were: " + strings.Join(left, ", ") + "; all other files are"
	case len(back) > 0:
		return "No file is changed: what was done to " + text.Enumerate(back, "and") + " before that is taken back"
	}
	return "No file is changed"
}

var errForeign = errors.New("it was changed by somebody else meanwhile, and is left so")

// undo takes a step back that may have been done. was says that the file has been as it was already. The error says how the file is now.
func (s *step) undo(c *Call) (was bool, err error) {
	now, err := documentAt(c, s.path, "put back")
	switch {
	case err != nil:
		return false, err
	case now.info == nil && s.removes:
		if err := c.FS.Restore(s.path, s.content, s.info.Mode().Perm(), nil); err != nil {
			return false, unusable(now.shown, "written", err)
		}
		return false, nil
	case now.info == nil && s.info == nil:
		return true, nil
	case now.info == nil:
		return false, errForeign
	case now.unread != nil:
		return false, unusable(now.shown, "put back", now.unread)
	case s.info != nil && string(now.content) == string(s.content):
		return true, nil
	case s.removes || string(now.content) != s.after:
		return false, errForeign
	case s.info == nil:
		return false, c.FS.Remove(s.path, now.info)
	}
	return false, now.replace(c, s.path, string(s.content))
}

// says tells what became of a file.
func (p *patched) says() string {
	added, removed := 0, 0
	for i := range p.Hunks {
		added, removed = added+p.Hunks[i].Added, removed+p.Hunks[i].Removed
	}
	count := fmt.Sprintf(": +%d -%d", added, removed)
	var b strings.Builder
	switch {
	case p.from == nil:
		fmt.Fprintf(&b, "Made %s: %s.", text.Show(p.to.shown), text.Count(lineCount(p.content), "line"))
	case p.to == nil:
		fmt.Fprintf(&b, "Removed %s.", text.Show(p.from.shown))
	case p.to != p.from:
		if len(p.Hunks) == 0 {
			count = ""
		}
		fmt.Fprintf(&b, "Renamed %s to %s%s.", text.Show(p.from.shown), text.Show(p.to.shown), count)
	default:
		fmt.Fprintf(&b, "Changed %s%s.%s", text.Show(p.from.shown), count, p.from.links())
	}
	for i, m := range p.moved {
		if i == linesNamed {
			b.WriteString(" Others were moved likewise.")
			break
		}
		fmt.Fprintf(&b, " Hunk %d stands at line %d, not %d.", m.Number, m.At, m.Said)
	}
	return b.String() + p.mode() + "\n"
}

// mode says what the file is that the patch wanted to be otherwise.
func (p *patched) mode() string {
	if p.to == nil {
		return ""
	}
	was := p.from != nil && p.from.info.Mode().Perm()&0o111 != 0
	wanted, is := was, was && p.to == p.from
	if p.Executable != nil {
		wanted = *p.Executable
	}
	switch {
	case wanted && !is:
		return " It is not executable: change that with a command."
	case is && !wanted:
		return " It is still executable: change that with a command."
	}
	return ""
}

// changes returns the file before and after. One that is renamed is two.
func (p *patched) changes() []Change {
	if p.from == nil || p.to == p.from {
		return p.to.changed(p.content).Changes
	}
	was := string(p.from.content)
	all := []Change{{Path: p.from.resolved, Old: &was}}
	if p.to != nil {
		all = append(all, p.to.changed(p.content).Changes...)
	}
	return all
}
