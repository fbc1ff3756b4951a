package page

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// element is an element that is open.
type element struct {
	name string
	node *html.Node
	// cells are those of a row; rows and columns are a table's. Each row of it gets as many cells in Markdown.
	cells, rows, columns int
}

// builder makes a tree of tokens.
type builder struct {
	root  *html.Node
	base  *url.URL
	based bool // a base element was seen
	title string
	cut   bool

	open    []element      // those that are open, the root first
	count   map[string]int // of open, by name
	left    map[string]int // elements that are open and were left out, by name
	boxes   int            // how many of open indent what is in them
	hidden  int            // how many of open there were when the one began whose content is left out; 0: none
	nodes   int
	links   int             // bytes of links
	said    strings.Builder // text that has no node yet
	naming  bool            // the text is that of the title
	pending bool            // the line break after a <pre> is left out
}

func newBuilder(base *url.URL) *builder {
	root := &html.Node{Type: html.DocumentNode}
	return &builder{root: root, base: base, open: []element{{node: root}}, count: map[string]int{}, left: map[string]int{}}
}

// read reads tokens to their end, until there are too many nodes, or until ctx ends.
func (b *builder) read(ctx context.Context, z *html.Tokenizer) {
	for l := (looks{ctx: ctx}); !b.cut && !l.ended(); {
		switch z.Next() {
		case html.ErrorToken:
			b.flush()
			return
		case html.TextToken:
			b.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			b.start(&t)
		case html.EndTagToken:
			name, _ := z.TagName()
			b.end(string(name))
		}
	}
	b.flush()
}

func (b *builder) text(s string) {
	switch {
	case b.naming:
		if b.title == "" {
			b.title = text.Line(strings.Join(strings.Fields(s), " "), maxTitle)
		}
	case b.hidden == 0:
		if b.pending && b.said.Len() == 0 {
			s = strings.TrimPrefix(s, "\n")
		}
		if b.count["pre"] > 0 { // each line is indented as deeply as the elements are nested
			s = b.lines(s)
		}
		b.said.WriteString(s)
	}
	b.pending = false
}

// lines counts the lines of a text, and returns those for which there is a place.
func (b *builder) lines(s string) string {
	for end := 0; ; b.nodes++ {
		i := strings.IndexByte(s[end:], '\n')
		if i < 0 {
			return s
		}
		if b.nodes >= maxNodes {
			b.cut = true
			return s[:end]
		}
		end += i + 1
	}
}

// flush makes a node of the text that was said since the last element that is kept: there are no two texts
// side by side.
func (b *builder) flush() {
	if b.said.Len() > 0 {
		b.put(&html.Node{Type: html.TextNode, Data: b.said.String()})
		b.said = strings.Builder{}
	}
}

// add puts an element into the innermost one that is open.
func (b *builder) add(n *html.Node) {
	b.flush()
	b.put(n)
}

func (b *builder) put(n *html.Node) {
	top := len(b.open) - 1
	if b.hidden > 0 {
		top = b.hidden - 1
	}
	b.open[top].node.AppendChild(n)
	if b.nodes++; b.nodes >= maxNodes {
		b.cut = true
	}
}

// start begins an element.
func (b *builder) start(t *html.Token) {
	name := t.Data
	switch name {
	case "title":
		b.naming = b.hidden == 0
		return
	case "base":
		b.rebase(t)
		return
	case "html", "head", "body":
		return // there is one tree for all
	}
	b.imply(name)
	kind := kindOf(name)
	n := &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
	if kind == voidKind || b.hidden > 0 && t.Type == html.SelfClosingTagToken {
		if b.hidden == 0 && b.attributes(n, t) {
			b.add(n)
		}
		return
	}
	if len(b.open) >= maxDepth || kind == boxKind && b.boxes >= maxBoxes || name == "table" && b.count[name] >= maxTables {
		b.left[name]++
		return
	}
	if b.hidden == 0 && kind == droppedKind {
		b.hidden = len(b.open)
	}
	if b.hidden == 0 {
		b.attributes(n, t)
		b.add(n)
		b.tabular(n)
	}
	b.push(name, n, kind)
	b.pending = name == "pre"
}

func (b *builder) push(name string, n *html.Node, k kind) {
	b.open = append(b.open, element{name: name, node: n})
	b.count[name]++
	if k == boxKind {
		b.boxes++
	}
}

// end ends an element, with those that are open in it.
func (b *builder) end(name string) {
	switch {
	case name == "title":
		b.naming = false
		return
	case name == "br": // browsers take it for <br>
		b.start(&html.Token{Type: html.StartTagToken, Data: name})
		return
	case b.left[name] > 0:
		b.left[name]--
		return
	case b.count[name] == 0:
		return
	}
	b.closeTo([]string{name}, boundariesOf(name))
}

// imply ends the elements that cannot go on when another one begins.
func (b *builder) imply(name string) {
	if b.hidden > 0 {
		return
	}
	if endsParagraph(name) {
		b.closeTo([]string{"p"}, []string{"td", "th", "table", "caption"})
	}
	if ends, within := impliedEnds(name); ends != nil {
		b.closeTo(ends, within)
	}
}

// closeTo ends the innermost open element with one of the names, with those that are open in it, unless one
// of the boundaries comes before it.
func (b *builder) closeTo(names, boundaries []string) {
	if !slices.ContainsFunc(names, func(n string) bool { return b.count[n] > 0 }) {
		return
	}
	for i := len(b.open) - 1; i > 0; i-- {
		switch name := b.open[i].name; {
		case slices.Contains(names, name):
			b.pop(i)
			return
		case slices.Contains(boundaries, name):
			return
		}
	}
}

// pop ends the open elements from the i-th on.
func (b *builder) pop(i int) {
	if b.hidden == 0 || i < b.hidden {
		b.flush()
	}
	for _, e := range b.open[i:] {
		b.count[e.name]--
		if kindOf(e.name) == boxKind {
			b.boxes--
		}
	}
	b.open = b.open[:i]
	if b.hidden >= i {
		b.hidden = 0
	}
	if len(b.left) > 0 { // a map that is cleared stays as large as it was
		b.left = map[string]int{}
	}
}
