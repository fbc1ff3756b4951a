package page

import (
	"context"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// The limits of a page.
const (
	// MaxSource is the longest source that Read takes, in bytes; the caller holds to it.
	MaxSource = 5 << 20
	// maxNodes is how many elements, texts, lines of source code and cells of a page are read.
	maxNodes = 200_000
	// maxDepth is how deeply elements are nested. Those that are nested more deeply are left out, and
	// their text is that of the last one.
	maxDepth = 100
	// maxBoxes is how deeply lists, quotes and tables are nested: each indents every line in it.
	maxBoxes = 8
	// maxTables is how deeply tables are nested: one that Markdown has no way for is tried first, with all
	// that is in it, and then written in another way.
	maxTables = 3
	// maxTitle is the longest title, in bytes.
	maxTitle = 300
	// maxLink is the longest link, in bytes. A longer one is left out.
	maxLink = 2000
	// maxLinks is the length of all links together, in bytes: a long base makes each of them longer.
	maxLinks = 2 << 20
	// maxSpan is how many columns or rows a cell of a table takes up.
	maxSpan = 10
	// maxClass is the longest class that may name a language, in bytes.
	maxClass = 200
)

// Page is a page that was read. One goroutine may use it.
type Page struct {
	// Title is the page's title: one line, "" if it has none.
	Title string
	// Cut says that the page has more than is read.
	Cut bool

	root *html.Node
}

// Read reads a page's source, which is UTF-8. base is where it comes from: links are relative to it. The error is the cause of
// ctx's end.
func Read(ctx context.Context, source string, base *url.URL) (*Page, error) {
	b := newBuilder(base)
	b.read(ctx, html.NewTokenizer(strings.NewReader(source)))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return &Page{Title: b.title, Cut: b.cut, root: b.root}, nil
}

// looks says when work that goes on looks whether its context has ended: at each so many steps.
type looks struct {
	ctx   context.Context
	steps int
	over  bool
}

// perLook is how many steps are made without a look.
const perLook = 256

// ended counts a step, and reports whether the context is known to have ended.
func (l *looks) ended() bool {
	if l.steps++; l.steps%perLook == 0 && !l.over {
		l.over = l.ctx.Err() != nil
	}
	return l.over
}
