package filesearch

import (
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// maxNamed is how many of the files that could not be read are named.
const maxNamed = 3

// leftOut counts what a search did not look at, and why.
type leftOut struct {
	hidden, ignored int // files and directories
	deep            int // directories below maxWalkDepth
	rulesCut        int // files of ignore rules with more than the bounds allow
	failed          int // files and directories that could not be read
	firstFailed     []string
}

func (l *leftOut) unreadable(shown string, err error) {
	if l.failed++; len(l.firstFailed) < maxNamed {
		l.firstFailed = append(l.firstFailed, text.Show(shown)+": "+Reason(err))
	}
}

// add adds what another one counted.
func (l *leftOut) add(o *leftOut) {
	l.hidden += o.hidden
	l.ignored += o.ignored
	l.deep += o.deep
	l.rulesCut += o.rulesCut
	l.failed += o.failed
	l.firstFailed = append(l.firstFailed, o.firstFailed[:min(len(o.firstFailed), maxNamed-len(l.firstFailed))]...)
}

// notes says what was left out for other causes than that nobody asked for it, a sentence each.
func (l *leftOut) notes(denied int) []string {
	var notes []string
	add := func(n int, format string, args ...any) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	more := ""
	if n := l.failed - len(l.firstFailed); n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	add(l.failed, "Not readable: %s%s.", strings.Join(l.firstFailed, "; "), more)
	add(denied, "The rules leave out %s.", text.CountOf(denied, "file or directory", "files or directories"))
	add(l.deep, "Deeper than %d directories: what is in %s was left out.", maxWalkDepth, text.CountOf(l.deep, "directory", "directories"))
	add(l.rulesCut, "Of %s not all is used: the most is %s and %d rules in one, %s in a line, and %s in all that hold at once.", text.CountOf(l.rulesCut, "file of ignore rules", "files of ignore rules"),
		text.FormatSize(maxIgnoreBytes), maxIgnoreRules, text.FormatSize(maxIgnoreLine), text.FormatSize(maxIgnoreHeld))
	return notes
}

// unasked says what was left out because the arguments did not ask for it, "" if nothing was. It is for a result that is empty.
func (l *leftOut) unasked() string {
	switch hidden, ignored := text.CountOf(l.hidden, "hidden file or directory", "hidden files or directories"), fmt.Sprintf("%d that ignore rules name", l.ignored); {
	case l.hidden > 0 && l.ignored > 0:
		return fmt.Sprintf("Left out: %s (hidden: true takes them in) and %s (ignored: true).", hidden, ignored)
	case l.hidden > 0:
		return fmt.Sprintf("Left out: %s (hidden: true takes them in).", hidden)
	case l.ignored > 0:
		return fmt.Sprintf("Left out: %s (ignored: true takes them in).", ignored)
	}
	return ""
}

// shownPath returns a path as a result shows it. No line that is no entry begins like it.
func shownPath(base, rel string) string {
	shown := rel
	if base != "" && base != "." {
		shown = strings.TrimSuffix(base, "/") + "/" + rel
		if rel == "" {
			shown = base
		}
	}
	shown = text.Show(shown)
	if !isEntry(shown[0]) {
		return "./" + shown
	}
	return shown
}
