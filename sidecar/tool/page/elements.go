package page

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// kind is what an element is for the tree.
type kind uint8

const (
	plainKind   kind = iota
	voidKind         // it has no content
	droppedKind      // it is left out with its content
	boxKind          // it indents its content
)

func kindOf(name string) kind {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return voidKind
	case "script", "style", "noscript", "iframe", "noembed", "noframes", "textarea", "template", "svg", "math", "canvas", "object", "select", "datalist", "audio", "video":
		return droppedKind
	case "ul", "ol", "blockquote", "table", "dl", "menu":
		return boxKind
	}
	return plainKind
}

// endsParagraph reports whether a paragraph ends where this element begins.
func endsParagraph(name string) bool {
	switch name {
	case "address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div", "dl", "fieldset", "figcaption", "figure", "footer", "form",
		"h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "ul":
		return true
	}
	return false
}

// impliedEnds returns which elements end where this one begins, and within which others.
func impliedEnds(name string) (ends, within []string) {
	switch name {
	case "li":
		return []string{"li"}, []string{"ul", "ol", "menu", "td", "th", "table"}
	case "dt", "dd":
		return []string{"dt", "dd"}, []string{"dl", "td", "th", "table"}
	case "tr":
		return []string{"tr"}, []string{"table"}
	case "td", "th":
		return []string{"td", "th"}, []string{"tr", "table"}
	case "thead", "tbody", "tfoot":
		return []string{"thead", "tbody", "tfoot"}, []string{"table"}
	case "a":
		return []string{"a"}, []string{"td", "th", "table"}
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return []string{"h1", "h2", "h3", "h4", "h5", "h6"}, []string{"td", "th", "table", "li", "div", "section"}
	}
	return nil, nil
}

// boundariesOf returns the elements that the end of an element does not go beyond.
func boundariesOf(name string) []string {
	switch name {
	case "table":
		return nil
	case "td", "th", "tr", "thead", "tbody", "tfoot", "caption":
		return []string{"table"}
	case "li":
		return []string{"ul", "ol", "menu", "table"}
	}
	return []string{"td", "th", "table", "caption"}
}

// rebase takes the first base of the page.
func (b *builder) rebase(t *html.Token) {
	href, ok := attribute(t, "href")
	if u := b.absolute(href); ok && !b.based && u != "" {
		b.based = true
		b.base, _ = url.Parse(u)
	}
}

// attributes gives an element what is kept of its attributes. It reports false for an element that is
// nothing without them.
func (b *builder) attributes(n *html.Node, t *html.Token) bool {
	set := func(key, value string) {
		if value != "" {
			n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
		}
	}
	switch n.Data {
	case "a":
		href, _ := attribute(t, "href")
		if set("href", b.absolute(href)); n.Attr == nil {
			n.Data, n.DataAtom = "span", atom.Span
		}
	case "img":
		src, _ := attribute(t, "src")
		alt, _ := attribute(t, "alt")
		src = b.absolute(src)
		set("src", src)
		set("alt", strings.Join(strings.Fields(alt[:min(len(alt), maxLink)]), " "))
		return src != ""
	case "ol":
		set("start", number(t, "start", 0, 1_000_000))
	case "td", "th":
		set("colspan", number(t, "colspan", 2, maxSpan))
		set("rowspan", number(t, "rowspan", 2, maxSpan))
	case "table":
		if role, _ := attribute(t, "role"); role == "presentation" {
			set("role", role)
		}
	case "code", "pre":
		class, _ := attribute(t, "class")
		if len(class) <= maxClass {
			set("class", class)
		}
	case "input", "embed", "link", "meta", "param", "source", "track", "area", "col":
		return false
	}
	return true
}

func attribute(t *html.Token, key string) (value string, ok bool) {
	for i := range t.Attr {
		if t.Attr[i].Key == key && t.Attr[i].Namespace == "" {
			return t.Attr[i].Val, true
		}
	}
	return "", false
}

// number returns an attribute that is a number from low to high; a higher one counts as high. "": it is
// none, or lower.
func number(t *html.Token, key string, low, high int) string {
	value, _ := attribute(t, key)
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < low {
		return ""
	}
	return strconv.Itoa(min(n, high))
}

// spans returns how many columns and rows a cell takes up.
func spans(cell *html.Node) (columns, rows int) {
	columns, rows = 1, 1
	for _, a := range cell.Attr {
		if n, err := strconv.Atoi(a.Val); err == nil && a.Key == "colspan" {
			columns = n
		} else if err == nil && a.Key == "rowspan" {
			rows = n
		}
	}
	return columns, rows
}

// absolute returns a link with all that it is relative to, "" for one that nobody should follow.
func (b *builder) absolute(link string) string {
	link = strings.TrimSpace(link)
	if link == "" || len(link) > maxLink || b.links >= maxLinks {
		return ""
	}
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	if b.base != nil {
		u = b.base.ResolveReference(u)
	}
	switch u.Scheme {
	case "http", "https", "ftp", "mailto", "tel":
	default:
		return ""
	}
	s := u.String()
	if b.links += len(s); len(s) > maxLink {
		return ""
	}
	return s
}
