package page

import (
	"context"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// Markdown returns the page as Markdown. The page is used up. Nothing in the text is escaped: a model reads
// it better as it is, and finding out what has to be takes time that grows with the square of some texts. If ctx ends, the error is its
// cause.
func (p *Page) Markdown(ctx context.Context) (string, error) {
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled), converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithHeaderPromotion(true)),
	))
	l := &looks{ctx: ctx}
	c.Register.Renderer(func(converter.Context, converter.Writer, *html.Node) converter.RenderStatus {
		if l.ended() {
			return converter.RenderSuccess // with nothing, and nothing of what is in it
		}
		return converter.RenderTryNext
	}, first)
	b, err := c.ConvertNode(p.root)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return string(b), err
}

// first is the priority of what renders before all else.
const first = converter.PriorityEarly - 1

// Text returns the words of the page: a line for each block, an item's after "- ", the cells of a row
// with tabs between them. The error is the cause of ctx's end.
func (p *Page) Text(ctx context.Context) (string, error) {
	w := words{looks: looks{ctx: ctx}}
	w.children(p.root, false)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return strings.TrimSpace(w.b.String()), nil
}

// words writes text, with the white space between its words as it should be.
type words struct {
	looks looks
	b     strings.Builder
	space bool // a space comes before the next word
	lines int  // line breaks that come before the next word
	tab   bool // so does a tab
}

func (w *words) children(n *html.Node, pre bool) {
	for c := n.FirstChild; c != nil && !w.looks.ended(); c = c.NextSibling {
		w.node(c, pre)
	}
}

func (w *words) node(n *html.Node, pre bool) {
	if n.Type == html.TextNode {
		w.text(n.Data, pre)
		return
	}
	switch name := n.Data; {
	case name == "br":
		w.lines++
	case name == "li":
		w.lines = max(w.lines, 1)
		w.word("- ")
		w.children(n, pre)
		w.lines = max(w.lines, 1)
	case name == "tr", name == "dt", name == "dd":
		w.lines = max(w.lines, 1)
		w.children(n, pre)
		w.lines = max(w.lines, 1)
	case name == "td", name == "th":
		w.children(n, pre)
		w.tab = true
	case endsParagraph(name):
		w.lines = max(w.lines, 2)
		w.children(n, pre || name == "pre")
		w.lines = max(w.lines, 2)
	default:
		w.children(n, pre)
	}
}

func (w *words) text(s string, pre bool) {
	if pre {
		w.word(s)
		return
	}
	for {
		rest := strings.TrimLeft(s, " \t\r\n\f")
		w.space = w.space || len(rest) < len(s)
		if rest == "" {
			return
		}
		end := strings.IndexAny(rest, " \t\r\n\f")
		if end < 0 {
			end = len(rest)
		}
		w.word(rest[:end])
		s = rest[end:]
	}
}

// word writes a word, after the white space that comes before it.
func (w *words) word(s string) {
	switch {
	case w.b.Len() == 0:
	case w.lines > 0:
		w.b.WriteString("\n\n"[:min(w.lines, 2)])
	case w.tab:
		w.b.WriteByte('\t')
	case w.space:
		w.b.WriteByte(' ')
	}
	w.space, w.lines, w.tab = false, 0, false
	w.b.WriteString(s)
}
