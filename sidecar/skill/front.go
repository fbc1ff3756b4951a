package skill

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// parser reads one SKILL.md.
type parser struct {
	file, folder string
	skill        *Skill
	front        string // the front matter, with the line before it
	warnings     jsontree.Faults
	faults       jsontree.Faults
}

func (p *parser) fault(line, column int, message, hint string) {
	if len(p.faults) < maxFaults {
		p.faults = append(p.faults, jsontree.Fault{File: p.file, Line: line, Column: column, Message: message, Hint: hint})
	}
}

func (p *parser) warn(n *yaml.Node, message, hint string) {
	if len(p.warnings) < maxFaults {
		p.warnings = append(p.warnings, jsontree.Fault{File: p.file, Line: p.line(n.Line), Column: n.Column, Message: message, Hint: hint})
	}
}

// at is fault for something that the front matter has.
func (p *parser) at(n *yaml.Node, message, hint string) {
	p.fault(p.line(n.Line), n.Column, message, hint)
}

// fence is the line before and after the front matter.
const fence = "---"

// read reads the whole file.
func (p *parser) read(data []byte) {
	if !p.encoding(data) {
		return
	}
	front, body, ok := p.cut(string(data))
	if !ok {
		return
	}
	p.skill.Body, p.front = body, front
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(front), &doc); err != nil {
		p.syntax(err)
		return
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		p.fault(2, 1, "the front matter must have keys and values", "write name: "+p.folder+" and description: …, one a line")
		return
	}
	if p.plain(doc.Content[0], 0, new(int)) {
		p.fields(doc.Content[0])
	}
}

// encoding checks what must hold before anything can be read.
func (p *parser) encoding(data []byte) bool {
	before := len(p.faults)
	switch {
	case len(data) > maxFile:
		p.fault(0, 0, "the file is larger than "+text.FormatSize(maxFile), "put what is not always needed into files beside it")
	case len(bytes.TrimSpace(data)) == 0:
		p.fault(1, 1, "the file is empty", "begin it with ---, name: "+p.folder+", description: …, ---; it may be half written")
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		p.fault(1, 1, "the file begins with a byte order mark", "save it as UTF-8 without BOM")
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		p.fault(1, 1, "the file is UTF-16", "save it as UTF-8")
	case !utf8.Valid(data):
		p.fault(1+bytes.Count(data[:invalidAt(data)], []byte("\n")), 1, "the line is not UTF-8", "save the file as UTF-8")
	case bytes.IndexByte(data, 0) >= 0:
		p.fault(1+bytes.Count(data[:bytes.IndexByte(data, 0)], []byte("\n")), 1, "the line has a NUL character", "remove it")
	}
	return len(p.faults) == before
}

// invalidAt returns where the first byte is that is no UTF-8.
func invalidAt(data []byte) int {
	at := 0
	for at < len(data) {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}

// cut returns the front matter, with the line before it, so that its lines count as those of the file, and the text
// after it.
func (p *parser) cut(data string) (front, body string, ok bool) {
	line, rest, _ := strings.Cut(data, "\n")
	if strings.TrimRight(line, " \t\r") != fence {
		p.fault(1, 1, "the first line is not ---", "begin the file with ---, name: "+p.folder+", description: …, ---")
		return "", "", false
	}
	end := len(data) - len(rest)
	for rest != "" {
		line, rest, _ = strings.Cut(rest, "\n")
		if strings.TrimRight(line, " \t\r") == fence {
			if end > maxFront {
				p.fault(0, 0, "the front matter is larger than "+text.FormatSize(maxFront), "put it into the text below")
				return "", "", false
			}
			return data[:end], strings.TrimLeft(rest, "\r\n"), true
		}
		end = len(data) - len(rest)
	}
	p.fault(1, 1, "the front matter has no end", "close it with a line that is ---")
	return "", "", false
}

// line returns the line of the file in which a line of the front matter is: in YAML a carriage return alone, and some characters beyond
// ASCII, end a line too.
func (p *parser) line(ofYAML int) int {
	at := 0
	for ; ofYAML > 1 && at < len(p.front); ofYAML-- {
		i := strings.IndexAny(p.front[at:], "\n\r\u0085\u2028\u2029")
		if i < 0 {
			break
		}
		at += i
		if strings.HasPrefix(p.front[at:], "\r\n") {
			at++
		}
		_, width := utf8.DecodeRuneInString(p.front[at:])
		at += width
	}
	return 1 + strings.Count(p.front[:at], "\n")
}

// syntax tells of what is no YAML.
func (p *parser) syntax(err error) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, found := strings.CutPrefix(message, "line "); found {
		if number, words, found := strings.Cut(rest, ": "); found {
			if n, err := strconv.Atoi(number); err == nil {
				line, message = p.line(n), words
			}
		}
	}
	if typed := (*yaml.TypeError)(nil); errors.As(err, &typed) && len(typed.Errors) > 0 {
		message = typed.Errors[0]
	}
	hint := "write each as key: value"
	switch {
	case strings.Contains(message, "mapping values are not allowed"):
		hint = "put a value that has a colon into quotes"
	case strings.Contains(message, "tab character"):
		hint = "indent with spaces"
	case strings.Contains(message, "cannot start any token"):
		hint = "indent with spaces, and put a value that begins with a sign into quotes"
	}
	p.fault(line, 1, "the front matter is not YAML: "+text.Line(message, 200), hint)
}

// The bounds of the front matter's structure.
const (
	maxDepth = 8
	maxNodes = 1000
)

// plain checks that the front matter is nothing but keys and values: no anchors and aliases, by which a few lines
// become many, no types of its own, and not too deep. It reports whether that is so.
func (p *parser) plain(n *yaml.Node, depth int, count *int) bool {
	*count++
	switch {
	case n.Kind == yaml.AliasNode, n.Anchor != "":
		p.at(n, "anchors (&) and aliases (*) are not taken", "write the value out; put a value that begins with & or * into quotes")
		return false
	case n.Style&yaml.TaggedStyle != 0:
		p.at(n, "tags (!) are not taken", "write the value without it; put a value that begins with ! into quotes")
		return false
	case depth > maxDepth:
		p.at(n, "the value is more than "+strconv.Itoa(maxDepth)+" levels deep", "make it flat")
		return false
	case *count > maxNodes:
		p.at(n, "the front matter has more than "+strconv.Itoa(maxNodes)+" values", "put them into a file beside it")
		return false
	}
	for _, c := range n.Content {
		if !p.plain(c, depth+1, count) {
			return false
		}
	}
	return true
}
