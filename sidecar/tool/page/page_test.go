package page_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/tool/page"
)

func read(t testing.TB, source string) *page.Page {
	t.Helper()
	base, err := url.Parse("https://docs.example/guide/start.html")
	if err != nil {
		t.Fatal(err)
	}
	p, err := page.Read(t.Context(), source, base)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// text returns the words of a page.
func text(t testing.TB, p *page.Page) string {
	t.Helper()
	words, err := p.Text(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// said returns the words of a source.
func said(t testing.TB, source string) string { return text(t, read(t, source)) }

func markdown(t testing.TB, source string) string {
	t.Helper()
	md, err := read(t, source).Markdown(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return md
}

// What Markdown and text are made of a page.
func TestPage(t *testing.T) {
	for _, c := range []struct{ source, markdown, text string }{
		{"", "", ""},
		{"plain & simple", "plain & simple", "plain & simple"},
		{
			`<title> A  title </title><nav><a href="/">home</a></nav><script>x</script><style>y</style><h1>Hi</h1><p>one <b>two</b>  <a href="three">three</a>`,
			"[home](https://docs.example/)\n\n# Hi\n\none **two** [three](https://docs.example/guide/three)", "home\n\nHi\n\none two three",
		},
		{`<p>one<p>two<br>three<hr>four`, "one\n\ntwo  \nthree\n\n* * *\n\nfour", "one\n\ntwo\nthree\n\nfour"},
		{`<table><tr><th>a<th>b<tr><td>1<td>2</table>after`, "| a | b |\n|---|---|\n| 1 | 2 |\n\nafter", "a\tb\n1\t2\n\nafter"},
		{`<table><tr><td colspan=99999999 rowspan=99999999>x<td>y`, strings.Repeat("| x |", 1), "x\ty"},
		{`<ul><li>one<li>two<ul><li>three</ul></ul><ol start=5><li>five`, "- one\n- two\n  \n  - three\n\n<!--THE END-->\n\n5. five", "- one\n- two\n\n- three\n\n- five"},
		{"<pre><code class=\"language-go\">x := 1\n\ty</code></pre>", "```go\nx := 1\n\ty\n```", "x := 1\n\ty"},
		{`<p>a<svg><path/><text>no</text></svg>b<select><option>c</select>d<noscript>e</noscript><template>f</template>`, "abd", "abd"},
		{`<div><svg>never closed</div>after`, "after", "after"},
		{`<a href="javascript:alert(1)">click</a> <img src="data:image/png;base64,xx" alt="data"> <img src=x.png alt="a b"> <a href="#x">frag</a> <a href=//other/x>o</a>`,
			"click ![a b](https://docs.example/guide/x.png) [frag](https://docs.example/guide/start.html#x) [o](https://other/x)", "click frag o"},
		{`<base href="/base/"><base href="/no/"><a href=x>y</a>`, "[y](https://docs.example/base/x)", "y"},
		{`<a href=one>1<a href=two>2</a>`, "[1](https://docs.example/guide/one)[2](https://docs.example/guide/two)", "12"},
		{`<p>f(*a) _x_ [y] &lt;z&gt; &copy; 中文 &#x1F600;`, "f(*a) _x_ [y] &lt;z&gt; © 中文 😀", "f(*a) _x_ [y] <z> © 中文 😀"},
		{"<p>a\r\n  b\tc", "a b c", "a b c"},
		{`<b><i>x</b>y</i>z</div></p>`, "***x***yz", "xyz"},
		{`<dl><dt>t<dd>d</dl>`, "t\n\nd", "t\nd"},
		{strings.Repeat("<div>", 1000) + "deep" + strings.Repeat("</div>", 1000) + "<p>end", "deep\n\nend", "deep\n\nend"},
		{strings.Repeat("<blockquote>", 1000) + "deep" + strings.Repeat("</blockquote>", 1000) + "<p>end", strings.Repeat("> ", 8) + "deep\n\nend", "deep\n\nend"},
		{`<!doctype html><!-- no --><html lang=en><head><meta charset=utf-8></head><body class=x>ok</body></html>`, "ok", "ok"},
		{`<p>unfinished <a href="`, "unfinished", "unfinished"},
		{"a\x00b\xff", "a\x00b\xff", "a\x00b\xff"},
	} {
		if got := markdown(t, c.source); got != c.markdown && !(strings.HasPrefix(c.markdown, "| x |") && strings.HasPrefix(got, c.markdown)) {
			t.Errorf("%.200q\nmarkdown %q\nwant     %q", c.source, got, c.markdown)
		}
		if got := said(t, c.source); got != c.text {
			t.Errorf("%.200q\ntext %q\nwant %q", c.source, got, c.text)
		}
	}
	if p := read(t, "<title> A \n title </title><title>B</title>"); p.Title != "A title" {
		t.Errorf("the title is %q", p.Title)
	}
	if p := read(t, "<title>"+strings.Repeat("ü", 1000)); len(p.Title) > 310 {
		t.Errorf("the title has %d bytes", len(p.Title))
	}
}

func TestDecode(t *testing.T) {
	for name, c := range map[string]struct{ content, declared, want string }{
		"nothing":                  {"", "", ""},
		"nothing declared":         {"grün €", "", "grün €"},
		"not UTF-8":                {"gr\xfcn \x80", "", "grün €"},
		"declared":                 {"gr\xfcn", "ISO-8859-1", "grün"},
		"declared in quotes":       {"gr\xfcn", `"latin1"`, "grün"},
		"latin 9":                  {"\xa4", "iso-8859-15", "€"},
		"wrong bytes":              {"gr\xfcn", "utf-8", "gr\ufffdn"},
		"a mark beats all":         {"\xef\xbb\xbfgrün", "iso-8859-1", "grün"},
		"UTF-16":                   {"\xff\xfeg\x00\xfc\x00", "", "gü"},
		"UTF-16, big end first":    {"\xfe\xff\x00g\x00\xfc", "", "gü"},
		"UTF-16 declared, odd":     {"\x00g\x00", "utf-16be", "g"},
		"UTF-16, half of a pair":   {"\xd8\x3d", "utf-16be", "\ufffd"},
		"meta":                     {"<meta charset=windows-1252>\x80", "", "<meta charset=windows-1252>€"},
		"meta that lies":           {"<meta charset=utf-16>ü", "", "<meta charset=utf-16>ü"},
		"meta http-equiv":          {`<META http-equiv="Content-Type" content="text/html; charset=iso-8859-1">` + "\xfc", "", `<META http-equiv="Content-Type" content="text/html; charset=iso-8859-1">ü`},
		"the header beats meta":    {"<meta charset=utf-8>\xfc", "latin1", "<meta charset=utf-8>ü"},
		"unknown, but it is UTF-8": {"grün", "x-nonsense", "grün"},
		"unknown":                  {"\xb3\xfc", "Shift_JIS", `error: its charset "Shift_JIS" is not known here: UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 and windows-1252 are`},
	} {
		got, err := page.Decode([]byte(c.content), c.declared, true)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// FuzzPage: nothing that a server sends makes it panic, or its text much longer.
func FuzzPage(f *testing.F) {
	for _, s := range []string{"<p>x<a href=y>z</a>", "<table><tr><td>a<td colspan=9>b", "<ul><li>x<ol><li>y", "<pre>\nx</pre>", "<title>t</title><svg><p></svg>", "<b><i><p></b>", "<table><td><table><tr>x"} {
		f.Add([]byte(s), "")
	}
	f.Add([]byte("\xff\xfe<\x00p\x00"), "utf-16")
	f.Fuzz(func(t *testing.T, content []byte, declared string) {
		source, err := page.Decode(content, declared, true)
		if err != nil {
			return
		}
		text := said(t, source)
		md := markdown(t, source)
		if len(md) > 10_000+200*len(source) || len(text) > 100+4*len(source) {
			t.Errorf("%d bytes became %d and %d", len(source), len(md), len(text))
		}
	})
}
