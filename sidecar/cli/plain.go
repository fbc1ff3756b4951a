package cli

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// pageWidth is the width of a page of help, in columns.
const pageWidth = 80

// plain renders the Markdown of our pages for a terminal: headings in capitals,
// paragraphs and lists folded, tables in columns or, if they are too wide, row by
// row. Code and what is in backquotes stays as it is.
func plain(markdown string) string {
	numbered := regexp.MustCompile(`^[0-9]+\. `)
	var p page
	lines := strings.Split(markdown, "\n")
	for i := 0; i < len(lines); i++ {
		switch line := lines[i]; {
		case strings.TrimSpace(line) == "":
			p.flush()
			p.gap = true
		case strings.HasPrefix(line, "<!--"):
		case strings.HasPrefix(line, "#"):
			p.flush()
			p.gap = true
			p.line(strings.ToUpper(strings.TrimLeft(line, "# ")))
			p.gap = true
		case strings.HasPrefix(line, "    "):
			p.flush()
			p.line(line)
		case strings.HasPrefix(line, "|"):
			first := i
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|") {
				i++
			}
			p.table(lines[first : i+1])
		case strings.HasPrefix(line, "* "):
			p.flush()
			p.words, p.first, p.rest = []string{line[2:]}, "  * ", "    "
		case numbered.MatchString(line):
			p.flush()
			number := numbered.FindString(line)
			p.words, p.first, p.rest = []string{line[len(number):]}, "  "+number, strings.Repeat(" ", 2+len(number))
		default:
			p.words = append(p.words, strings.TrimSpace(line))
		}
	}
	p.flush()
	return p.out.String()
}

// page is a page that is being written.
type page struct {
	out         strings.Builder
	gap         bool     // an empty line comes before the next line
	words       []string // lines of the current paragraph
	first, rest string   // the prefixes of its first line and of the others
}

func (p *page) line(s string) {
	if p.gap && p.out.Len() > 0 {
		p.out.WriteByte('\n')
	}
	p.gap = false
	p.out.WriteString(strings.TrimRight(s, " ") + "\n")
}

// flush ends the paragraph.
func (p *page) flush() {
	if len(p.words) > 0 {
		p.fold(p.first, p.rest, strings.Join(p.words, " "))
	}
	p.words, p.first, p.rest = nil, "", ""
}

// fold writes text in lines; the first line gets one indent and the others another.
func (p *page) fold(first, rest, text string) {
	for _, line := range wrap(inline(text), first, rest) {
		p.line(line)
	}
}

// wrap folds text at blanks.
func wrap(text, first, rest string) []string {
	var lines []string
	line, empty := first, true
	for word := range strings.FieldsSeq(text) {
		if !empty && width(line)+1+width(word) > pageWidth {
			lines = append(lines, line)
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	return append(lines, line)
}

// inline removes marks that a terminal does not show, and says how a link is followed
// from here.
func inline(s string) string {
	link := regexp.MustCompile(`\[([^\]]+)\]\(([^)]+)\)`)
	s = link.ReplaceAllStringFunc(s, func(whole string) string {
		m := link.FindStringSubmatch(whole)
		if name, topic := strings.CutSuffix(m[2], ".md"); topic && !strings.Contains(name, "/") {
			return m[1] + " (sidecar help " + name + ")"
		}
		return m[1]
	})
	marks := strings.NewReplacer("**", "", `\*`, "*")
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 { // the others are code
		parts[i] = marks.Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

func width(s string) int { return utf8.RuneCountInString(s) }

// table writes rows in columns if they fit, with the last column folded, otherwise
// one below the other.
func (p *page) table(lines []string) {
	rows := make([][]string, 0, len(lines))
	for _, line := range lines {
		rows = append(rows, cells(line))
	}
	rows = append(rows[:1], rows[2:]...) // without the line of dashes
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row[:len(widths)] {
			widths[i] = max(widths[i], width(cell))
		}
	}
	before := 0
	for _, w := range widths[:len(widths)-1] {
		before += w + 2
	}
	if before > pageWidth/2 && before+widths[len(widths)-1] > pageWidth {
		p.records(rows)
		return
	}
	for _, row := range rows {
		left := ""
		for i, cell := range row[:len(widths)-1] {
			left += cell + strings.Repeat(" ", widths[i]-width(cell)+2)
		}
		p.fold(left, strings.Repeat(" ", before), row[len(widths)-1])
	}
}

// records writes each row as its first cell and, indented, the other cells with the
// names of their columns.
func (p *page) records(rows [][]string) {
	const indent = "    "
	for _, row := range rows[1:] {
		p.fold("", "  ", row[0])
		for i, cell := range row[1:] {
			if cell == "" {
				continue
			}
			name := ""
			if i > 0 || len(row) > 2 {
				name = rows[0][i+1]
			}
			if name != "" {
				name += ": "
			}
			p.fold(indent, indent, name+cell)
		}
	}
}

// cells splits a row of a table.
func cells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	parts := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
	for i, part := range parts {
		parts[i] = inline(strings.TrimSpace(strings.ReplaceAll(part, "\x00", "|")))
	}
	return parts
}
