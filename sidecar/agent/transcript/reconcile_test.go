package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
)

func TestReconcile(t *testing.T) {
	const long = "The first block says what will be looked for and where."
	for name, test := range map[string]struct {
		streamed, exact, tail string
		replace               bool
	}{
		"nothing was streamed":          {"", "all of it", "all of it", false},
		"nothing is known":              {"some text", "", "", false},
		"all of it was streamed":        {"all of it", "all of it", "", false},
		"a part was streamed":           {"all of", "all of it", " it", false},
		"cut in a word":                 {"al", "all of it", "l of it", false},
		"the last of two blocks":        {long + "\n\nall of it", "all of it", "", false},
		"a part of the last block":      {long + "\n\nall of", "all of it", " it", false},
		"the last block is yet to come": {long, "all of it", "\n\nall of it", false},
		"and a newline was said":        {long + "\n", "all of it", "\nall of it", false},
		"and two were":                  {long + "\n\n", "all of it", "all of it", false},
		"other blanks":                  {"one two\nthree", "one  two\n\nthree", "one  two\n\nthree", true},
		"a wrapped line":                {"one two\nthree", "one two three", "one two three", true},
		"a line taken for a wrapped one": {
			"one two three and", "one two\nthree and four", "one two\nthree and four", true,
		},
		"other blanks in the last block": {long + "\n\none two\nthree", "one two three", long + "\n\none two three", true},
		"blanks at the end":              {"one two", "one two \n", " \n", false},
		"Markdown":                       {"A heading\n\nbold and code", "# A heading\n\n**bold** and `code`", "# A heading\n\n**bold** and `code`", true},
		"Markdown in the last block":     {long + "\n\nbold and code", "**bold** and `code`, more", long + "\n\n**bold** and `code`, more", true},
		"blocks that begin alike": {
			"I will look at the file one.\n\nI will look at the file two now.", "I will look at the file two now. Done.", " Done.", false,
		},
		"several paragraphs are the last block": {
			long + "\n\npara one\n\npara two", "para one\n\npara two\n\npara three", "\n\npara three", false,
		},
		"a row was lost": {
			"The first row of the text is here.\nThe third row of the text is here too, and it is longer.",
			"The first row of the text is here.\nThe second.\nThe third row of the text is here too, and it is longer.",
			"The first row of the text is here.\nThe second.\nThe third row of the text is here too, and it is longer.", true,
		},
		"the begin was lost": {
			long + "\n\nof the text, which is long enough to be known again.",
			"The begin of the text, which is long enough to be known again.",
			long + "\n\nThe begin of the text, which is long enough to be known again.", true,
		},
		"more marks and blanks than letters": {
			sparse(1, 9, "x y z"), sparse(1, 9, "*x* `y` _z_"), sparse(1, 9, "*x* `y` _z_"), true,
		},
		"more marks than letters in the last block": {
			long + "\n\n" + sparse(1, 9, "x y z"), sparse(1, 11, "*x* `y` _z_"), long + "\n\n" + sparse(1, 11, "*x* `y` _z_"), true,
		},
		"the exact text is only blanks": {"text", " \n", "\n\n \n", false},
		"no letters":                    {"→ ←", "→  ←", "\n\n→  ←", false},
	} {
		t.Run(name, func(t *testing.T) {
			tail, replace := transcript.Reconcile(test.streamed, test.exact)
			if tail != test.tail || replace != test.replace {
				t.Errorf("%q, %v; want %q, %v", tail, replace, test.tail, test.replace)
			}
		})
	}
}

// sparse is paragraphs of few letters.
func sparse(from, to int, text string) string {
	var all []string
	for i := from; i <= to; i++ {
		all = append(all, fmt.Sprintf("%d. - . - . - . a - b / %s ( . . . )", i, text))
	}
	return strings.Join(all, "\n\n")
}

func TestReconcileIsQuickWithMuchText(t *testing.T) {
	block := strings.Repeat("the same words again and again ", 20)
	streamed := strings.Repeat(block+"\n\n", 2000)
	exact := strings.Repeat(block+" \n\n", 1500) + "end"
	tail, replace := transcript.Reconcile(streamed, exact)
	if !replace || !strings.HasSuffix(tail, exact) {
		t.Errorf("%d bytes, %v: does not end with the exact text", len(tail), replace)
	}
}

// TestReconcileIsQuickWithLongLines: what begins a block is not looked for at
// every letter of a line that is all of the text.
func TestReconcileIsQuickWithLongLines(t *testing.T) {
	t.Parallel()
	streamed := strings.Repeat("word ", 180_000)
	began := time.Now()
	tail, replace := transcript.Reconcile(streamed+"1", streamed+"2")
	if !replace || tail != streamed+"2" {
		t.Errorf("%d bytes, replace %v", len(tail), replace)
	}
	if took := time.Since(began); took > 10*time.Second { // 0.1 s, and minutes when it is quadratic
		t.Errorf("it took %s", took)
	}
}

func FuzzReconcile(f *testing.F) {
	for _, seed := range [][2]string{
		{"", ""}, {"a", "ab"}, {"one\n\ntwo", "two three"}, {"a b\nc", "a  b c"}, {"x\n\n漢字\n", "**漢字**"}, {"\xff\xfe", "\xff"},
		{"The first block.\n\nThe second one of them", "The *second* one of them all"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, streamed, exact string) {
		tail, replace := transcript.Reconcile(streamed, exact)
		text := streamed + tail
		if replace {
			text = tail
		}
		if !strings.HasSuffix(text, exact) {
			t.Errorf("%q and %q make %q", streamed, exact, text)
		}
		if exact == "" && text != streamed {
			t.Errorf("nothing is known, and %q becomes %q", streamed, text)
		}
		if strings.HasPrefix(exact, streamed) && (replace || text != exact) {
			t.Errorf("%q is the begin of %q, and becomes %q", streamed, exact, text)
		}
		if again, replace := transcript.Reconcile(text, exact); text == exact && (again != "" || replace) {
			t.Errorf("%q and %q again: %q", text, exact, again)
		}
	})
}
