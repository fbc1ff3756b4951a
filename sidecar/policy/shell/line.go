package shell

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// What a line may be made of. More than this is a doubt.
const (
	maxSource   = 16 << 10 // bytes
	maxRead     = 64 << 10 // bytes of all sources inside a source together
	maxOpeners  = 1000     // opening brackets: the parser recurses for each
	maxCommands = 256
	maxNested   = 8 // scripts inside scripts, wrappers inside wrappers
)

// Line is a command line, taken apart. It must not be changed.
type Line struct {
	// Commands are the simple commands, in their order; a wrapper stands before what it
	// starts.
	Commands []Command
	// Files are what redirections open, /dev/null and the like left out.
	Files []File
	// Doubts say why the line may do something else than what Commands and Files show:
	// each says what it holds, in a few words. Empty means that all of it is known.
	Doubts []string
	// Moved says that the line changes its directory: relative names in Files are then
	// not relative to where it starts.
	Moved bool
	// Unread is the source, or a part of it, that could not be taken apart; "" if all
	// of it was.
	Unread string
}

// Command is one simple command.
type Command struct {
	Words []Word // the name and its arguments; never empty
	// Open says that more words may follow that nobody knows yet.
	Open bool
	// Transparent says that the command does nothing but start another, which stands in
	// the same line: a rule is needed for that one alone.
	Transparent bool
	// Suspect says that this may be run, or may be mere text.
	Suspect bool
}

// Word is one word of a command.
type Word struct {
	// Text is the word without its quotes; of a word that is not Fixed, what is known of
	// its beginning.
	Text string
	// Fixed says that Text is the whole word. The rest of a word that is not fixed is
	// known only when the command runs.
	Fixed bool
	// Many says that the word may become several words, or none.
	Many bool
}

// File is a file that a redirection opens.
type File struct {
	Path  string // as it is written, without quotes
	Write bool
}

// Name returns the command's name, "" if it is only known when the command runs.
func (c *Command) Name() string {
	if !c.Words[0].Fixed {
		return ""
	}
	return c.Words[0].Text
}

// String returns the words with a space between them, cut short, and … for what is not
// known.
func (c *Command) String() string {
	var b strings.Builder
	for i, w := range c.Words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.Text)
		if !w.Fixed {
			b.WriteString("…")
		}
	}
	if c.Open {
		b.WriteString(" …")
	}
	return text.Shorten(text.Show(b.String()), 200)
}

// Parse takes shell source apart.
func Parse(source string) *Line {
	r := newReader()
	r.source(source)
	return r.line
}

// Exec returns the line of a program that is started with exactly these arguments,
// without a shell. A program such as env or sh is still looked into.
func Exec(argv []string) *Line {
	r := newReader()
	words := make([]Word, len(argv))
	for i, a := range argv {
		words[i] = fixed(a)
	}
	if len(words) == 0 {
		r.doubt("no command")
		return r.line
	}
	r.command(Command{Words: words})
	return r.line
}

func fixed(s string) Word { return Word{Text: s, Fixed: true} }

// reader collects what is found in one line.
type reader struct {
	line   *Line
	nested int
	read   *int // bytes of source read so far, with those read more than once
}

func newReader() reader { return reader{line: &Line{}, read: new(int)} }

func (r *reader) doubt(what string) {
	if !slices.Contains(r.line.Doubts, what) {
		r.line.Doubts = append(r.line.Doubts, what)
	}
}

// unread notes source that could not be taken apart.
func (r *reader) unread(source, why string) {
	r.doubt(why)
	r.line.Unread += source + "\n"
}

// deeper runs f one level further inside, unless that is too deep.
func (r *reader) deeper(f func()) bool {
	if r.nested >= maxNested || len(r.line.Commands) >= maxCommands {
		return false
	}
	r.nested++
	f()
	r.nested--
	return true
}
