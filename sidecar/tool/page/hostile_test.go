package page_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	// What a hostile page may cost: bytes that are allocated for all of it, bytes that come out, and a time
	// that is far more than it takes and far less than what grows with the square of its length.
	maxAllocated = 512 << 20
	maxOut       = 24 << 20
	maxTime      = 20 * time.Second
)

func fill(s string) string { return strings.Repeat(s, long/len(s)) }

func numbered(format string) string {
	var b strings.Builder
	for i := 0; b.Len() < long; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// hostile are pages that make readers of HTML slow, large or dead.
func hostile() map[string]string {
	var bold strings.Builder // different attributes: browsers open all of them again in each paragraph
	for i := range 90 {
		fmt.Fprintf(&bold, "<b a%d>", i)
	}
	lists, quotes := strings.Repeat("<ul><li>", 200), strings.Repeat("<blockquote>", 200)
	return map[string]string{
		"elements in each other":              fill("<div>"),
		"other elements in each other":        numbered("<x%d>"),
		"that end":                            numbered("<x%d>")[:long/2] + fill("<p></p>")[:long/2],
		"formatting that goes on":             bold.String() + fill("<p>x"),
		"ends of nothing":                     bold.String() + fill("</i></x>"),
		"lists in each other":                 fill("<ul><li>"),
		"many lines, deep in lists":           lists + fill("x<br>"),
		"many lines of code, deep in lists":   lists + "<pre>" + fill("x\n"),
		"many lines, deep in quotes":          quotes + fill("x<br>"),
		"tables in each other":                fill("<table><tr><td>"),
		"tables that are none, in each other": strings.Repeat("<table><tr><td><ul><li>x</ul>", 200) + fill("<p>x"),
		"a wide row, then many":               "<table><tr>" + strings.Repeat("<td>", 50_000) + strings.Repeat("<tr><td>x", 50_000),
		"many rows, then a wide one":          "<table>" + strings.Repeat("<tr><td>x", 50_000) + "<tr>" + strings.Repeat("<td>", 50_000),
		"a long cell, then many":              "<table><tr><td>" + fill("x") + strings.Repeat("<tr><td>x", 50_000),
		"wide cells":                          "<table>" + fill("<tr><td colspan=1000 rowspan=65534>x"),
		"a long base":                         `<base href="/` + strings.Repeat("x", 1900) + `/">` + fill("<a href=x>y</a>"),
		"many attributes":                     "<a" + numbered(" a%d=1") + ">",
		"a long attribute":                    `<a href="` + fill("x") + `" title="` + fill("y") + `">z</a>`,
		"no end of an attribute":              `<a href="` + fill("x>"),
		"a long title":                        "<title>" + fill("x"),
		"a long script":                       "<script>" + fill("x"),
		"brackets":                            fill("["),
		"images in brackets":                  fill("!["),
		"backticks":                           "<pre>" + fill("`"),
		"backticks in code":                   "<code>" + fill("` "),
		"stars":                               fill("*_ "),
		"tags that do not end":                fill("<"),
		"text in pieces":                      fill("x<!----><meta>"),
		"lines":                               fill("\n"),
		"spaces in formatting":                fill("<b> </b>"),
		"NULs":                                fill("\x00"),
		"bytes":                               fill("\xff"),
	}
}

// Whatever a page is, reading it is bounded.
func TestHostilePages(t *testing.T) {
	for name, source := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		text := said(t, source)
		md := markdown(t, source)
		runtime.ReadMemStats(&after)
		if took, allocated := time.Since(began), after.TotalAlloc-before.TotalAlloc; took > maxTime || allocated > maxAllocated || max(len(text), len(md)) > maxOut {
			t.Errorf("%s: %s, %d MiB allocated, %d and %d bytes", name, took, allocated>>20, len(text), len(md))
		}
	}
}

// A page that has more than is read says so.
func TestCut(t *testing.T) {
	if p := read(t, strings.Repeat("<p>x", 150_000)); !p.Cut || len(text(t, p)) < 100_000 {
		t.Errorf("cut: %v", p.Cut)
	}
	if p := read(t, strings.Repeat("<p>x", 50_000)); p.Cut {
		t.Error("nothing was cut")
	}
}
