package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// The limits of one patch.
const (
	MaxBytes = 1 << 20 // of its text
	MaxPaths = 32      // that it names: a file that is renamed counts twice
	MaxHunks = 1000    // of all files
)

// File is what a patch does to one file.
type File struct {
	// Old and New are the names before and after, as the arguments of a tool have paths. Old is "" for a file that is
	// made, and New for one that is removed; they differ if it is renamed.
	Old, New string
	// Executable says whether the patch wants the file to be executable, nil if it speaks of no mode.
	Executable *bool
	Hunks      []Hunk
}

// Hunk replaces some lines by others.
type Hunk struct {
	// Number counts the hunks of a file from 1, and Line is that of the patch in which the hunk begins.
	Number, Line int
	// At is the first line of the file that is replaced, from 1, as the patch says; of a hunk that only adds
	// lines, the one after which they come. -1: the patch does not say.
	At int
	// Old and New are the lines with their ends. The last one has none if the patch says that the file ends so.
	Old, New string
	// Added and Removed count the lines that are.
	Added, Removed int

	counted int  // how many lines of the file there are by the head, -1 if it does not say
	ends    bool // the patch says of a line that the file ends with it, without a newline
}

// Parse reads a patch. The error is a clause that follows its name.
func Parse(patch string) ([]File, error) {
	switch {
	case len(patch) > MaxBytes:
		return nil, fmt.Errorf("has %d bytes, and %s is the most: make several of it", len(patch), text.FormatSize(MaxBytes))
	case strings.ContainsRune(patch, 0):
		return nil, errors.New("has a NUL character in it: only text can be patched")
	case strings.HasPrefix(strings.TrimSpace(patch), "*** Begin Patch"):
		return nil, errors.New(`begins with "*** Begin Patch": write a unified diff, with the lines "--- a/FILE", "+++ b/FILE" and "@@ -1,3 +1,4 @@" above the changed lines`)
	}
	p := parser{lines: linesOf(patch), named: map[string]bool{}}
	if err := p.all(); err != nil {
		return nil, err
	}
	if len(p.files) == 0 {
		return nil, errors.New(`has no file in it: write a unified diff, with the lines "--- a/FILE", "+++ b/FILE" and "@@ -1,3 +1,4 @@" above the changed lines`)
	}
	return p.files, nil
}

// Paths returns the files that a patch names, each once. The error is that of Parse.
func Paths(patch string) ([]string, error) {
	files, err := Parse(patch)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, f := range files {
		if f.Old != "" {
			all = append(all, f.Old)
		}
		if f.New != "" && f.New != f.Old {
			all = append(all, f.New)
		}
	}
	return all, nil
}

// linesOf returns the lines of a patch. If all of them end in CRLF, the patch was written so, whatever its files have.
func linesOf(patch string) []string {
	lines := strings.Split(strings.TrimSuffix(patch, "\n"), "\n")
	for i, line := range lines {
		if !strings.HasSuffix(line, "\r") && (i < len(lines)-1 || i == 0) {
			return lines
		}
	}
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// parser reads the lines of a patch from the first to the last.
type parser struct {
	lines []string
	at    int
	files []File
	named map[string]bool
	paths int
	hunks int
	prose bool // what stands here is no part of any hunk: it is in front of the first file, or between two mails
}

// line returns the line that is n lines further down, "" after the last.
func (p *parser) line(n int) string {
	if p.at+n < len(p.lines) {
		return p.lines[p.at+n]
	}
	return ""
}

// faultf returns an error of the line that is read.
func (p *parser) faultf(format string, args ...any) error {
	return fmt.Errorf("has in line %d %s", p.at+1, fmt.Sprintf(format, args...))
}

func (p *parser) all() error {
	p.prose = true
	for p.at < len(p.lines) {
		line := p.lines[p.at]
		switch {
		case strings.HasPrefix(line, "diff --git "), p.head():
			if err := p.section(); err != nil {
				return err
			}
			p.prose = false
		case strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "), strings.HasPrefix(line, "@@@"):
			return p.faultf("the combined diff of a merge: make one against a single parent")
		case binary(line):
			return p.faultf("a binary patch: write such a file with a command")
		case strings.HasPrefix(line, "@@"):
			return p.faultf(`a hunk of no file: write "--- a/FILE" and "+++ b/FILE" above it`)
		case line == mailEnd:
			p.prose = true
			p.at++
		case !p.prose && line != "" && strings.IndexByte(" +-\\", line[0]) >= 0:
			return p.faultf("a line of no hunk: each line of a hunk begins with a space, + or -, also one that stays")
		default:
			p.at++
		}
	}
	return nil
}

// mailEnd is what follows a patch that was sent by mail.
const mailEnd = "-- "

// head reports whether the names of a file stand here.
func (p *parser) head() bool {
	return strings.HasPrefix(p.line(0), "--- ") && strings.HasPrefix(p.line(1), "+++ ")
}

// binary reports whether a line says that a file is no text.
func binary(line string) bool {
	return line == "GIT binary patch" || strings.HasPrefix(line, "Binary files ") && strings.HasSuffix(line, " differ")
}
