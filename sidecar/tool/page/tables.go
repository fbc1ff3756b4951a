package page

import "golang.org/x/net/html"

// tabular counts the cells that a row, or a cell, adds to its table.
func (b *builder) tabular(n *html.Node) {
	switch n.Data {
	case "tr":
		if t := b.innermost("table"); t != nil {
			t.rows++
			b.nodes += t.columns
		}
	case "td", "th":
		t, row := b.innermost("table"), b.innermost("tr")
		if t == nil || row == nil {
			return
		}
		columns, rows := spans(n)
		b.nodes += columns*rows - 1
		if row.cells += columns; row.cells > t.columns {
			b.nodes += (row.cells - t.columns) * t.rows
			t.columns = row.cells
		}
	}
	b.cut = b.cut || b.nodes >= maxNodes
}

// innermost returns the innermost open element with a name, nil for none.
func (b *builder) innermost(name string) *element {
	if b.count[name] == 0 {
		return nil
	}
	for i := len(b.open) - 1; i > 0; i-- {
		if b.open[i].name == name {
			return &b.open[i]
		}
	}
	return nil
}
