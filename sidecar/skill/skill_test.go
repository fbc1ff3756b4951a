package skill_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/skill"
)

// front is a SKILL.md of the folder pdf with these lines of front matter.
func front(lines string) string { return "---\n" + lines + "\n---\nRead it.\n" }

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want skill.Skill
	}{
		{front("name: pdf\ndescription: Reads PDFs."), skill.Skill{Description: "Reads PDFs.", Body: "Read it.\n"}},
		{"---\r\nname: pdf\r\ndescription: Reads.\r\n---\r\n\r\na\r\n", skill.Skill{Description: "Reads.", Body: "a\r\n"}},
		{"--- \nname: \"pdf\"\ndescription: >\n  Reads\n  PDFs.\n---", skill.Skill{Description: "Reads PDFs."}},
		{front("name: pdf\ndescription: 'Use when: asked'\nlicense: MIT\ncompatibility: Needs git\nallowed-tools: Bash(git:*) Read\nmetadata:\n  version: 1.0\n  author: me"),
			skill.Skill{Description: "Use when: asked", License: "MIT", Compatibility: "Needs git", AllowedTools: []string{"Bash(git:*)", "Read"},
				Metadata: map[string]string{"version": "1.0", "author": "me"}, Body: "Read it.\n"}},
		{front("name: pdf\ndescription: \"a\\e[31mb\\n---\"\nallowed-tools: [Read, 'Grep']"), skill.Skill{Description: "a[31mb ---", AllowedTools: []string{"Read", "Grep"}, Body: "Read it.\n"}},
		{front("name: pdf\ndescription: " + strings.Repeat("ü", 1024)), skill.Skill{Description: strings.Repeat("ü", 1024), Body: "Read it.\n"}},
	} {
		got, warnings, faults := skill.Parse("pdf/SKILL.md", "pdf", []byte(c.text))
		c.want.Name = "pdf"
		if len(warnings)+len(faults) > 0 || !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%.200q: %+v, %v %v", c.text, got, warnings, faults)
		}
	}
}

// Each bad file says what is wrong, where, and what would be right.
func TestParseBad(t *testing.T) {
	const ok = "\ndescription: d"
	laughs := "a: &a [x, x]\nb: &b [*a, *a]\nname: pdf" + ok
	for _, c := range []struct{ text, want string }{
		{"", ":1:1: the file is empty; hint: begin it with ---, name: pdf, description: …, ---; it may be half written"},
		{"\xef\xbb\xbf---\n", ":1:1: the file begins with a byte order mark; hint: save it as UTF-8 without BOM"},
		{"\xff\xfe-", ":1:1: the file is UTF-16; hint: save it as UTF-8"},
		{"---\nname: \xff\n", ":2:1: the line is not UTF-8; hint: save the file as UTF-8"},
		{"---\n\x00\n", ":2:1: the line has a NUL character; hint: remove it"},
		{strings.Repeat("x", 128<<10+1), ": the file is larger than 128KiB; hint: put what is not always needed into files beside it"},
		{"# PDF\n", ":1:1: the first line is not ---; hint: begin the file with ---, name: pdf, description: …, ---"},
		{"---\nname: pdf\n", ":1:1: the front matter has no end; hint: close it with a line that is ---"},
		{front(strings.Repeat("# x\n", 10_000)), ": the front matter is larger than 32KiB; hint: put it into the text below"},
		{front(""), ":2:1: the front matter must have keys and values; hint: write name: pdf and description: …, one a line"},
		{front("- name"), ":2:1: the front matter must have keys and values; hint: write name: pdf and description: …, one a line"},
		{front("name: pdf\ndescription: Use when: asked"), ":3:1: the front matter is not YAML: mapping values are not allowed in this context; hint: put a value that has a colon into quotes"},
		{front("name: pdf\n\tdescription: d"), ":2:1: the front matter is not YAML: found a tab character that violates indentation; hint: indent with spaces"},
		{front("name: pdf\ndescription: @d"), ":3:1: the front matter is not YAML: found character that cannot start any token; hint: indent with spaces, and put a value that begins with a sign into quotes"},
		{front("name: pdf"), ":1:1: description is missing; hint: write description: what it does, and when it is to be used"},
		{front("name: pdf\ndescripton: d"), `:1:1: description is missing; hint: did you mean it by "descripton"?`},
		{front("description: d"), ":1:1: name is missing; hint: write name: pdf"},
		{front("name: pdf\ndescription:"), ":3:13: description is empty; hint: say what it is"},
		{front("name: pdf\ndescription: ''"), ":3:14: description is empty; hint: say what it is"},
		{front("name: pdf\ndescription: [a]"), ":3:14: description must be a text, not a list; hint: write it in one value"},
		{front("name: pdf\ndescription: {a: b}"), ":3:14: description must be a text, not keys and values; hint: write it in one value"},
		{front("name: pdf\ndescription: 12"), `:3:14: description must be a text, not "12"; hint: put it into quotes`},
		{front("name: pdf\ndescription: " + strings.Repeat("ü", 1025)), ":3:14: description has 1025 characters, and may have 1024; hint: shorten it"},
		{front("name: pdf\ncompatibility: " + strings.Repeat("x", 501) + ok), ":3:16: compatibility has 501 characters, and may have 500; hint: shorten it"},
		{front("name: PDF" + ok), `:2:7: "PDF" is no name of a skill; hint: use lower-case letters, digits and single hyphens between them, as in pdf-forms`},
		{front("name: p--f" + ok), `:2:7: "p--f" is no name of a skill; hint: use lower-case letters, digits and single hyphens between them, as in pdf-forms`},
		{front("name: pdf-" + ok), `:2:7: "pdf-" is no name of a skill; hint: use lower-case letters, digits and single hyphens between them, as in pdf-forms`},
		{front("name: ../pdf" + ok), `:2:7: "../pdf" is no name of a skill; hint: use lower-case letters, digits and single hyphens between them, as in pdf-forms`},
		{front("name: " + strings.Repeat("x", 65) + ok), ":2:7: name has 65 characters, and may have 64; hint: shorten it"},
		{front("name: word" + ok), `:2:7: the name is "word", and the folder's is "pdf"; hint: make them equal`},
		{front("name: pdf" + ok + "\nname: pdf"), `:4:1: "name" is here twice; hint: remove one of them`},
		{front("name: pdf" + ok + "\nmetadata: x"), ":4:11: metadata must have keys and values; hint: write one a line below it, indented"},
		{front("name: pdf" + ok + "\nallowed-tools: [[a]]"), ":4:17: a tool of allowed-tools must be a text; hint: write the tools in one line, with a space between them"},
		{front("name: pdf" + ok + "\nallowed-tools: {a: b}"), ":4:16: allowed-tools must be a text; hint: write the tools in one line, with a space between them"},
		{front("name: pdf\rlicense: x\r\ndescription: >\n  a\u2028  b\n\nallowed-tools: {a: b}"), ":6:16: allowed-tools must be a text; hint: write the tools in one line, with a space between them"},
		{front(laughs), ":2:4: anchors (&) and aliases (*) are not taken; hint: write the value out; put a value that begins with & or * into quotes"},
		{front("name: !x pdf" + ok), ":2:7: tags (!) are not taken; hint: write the value without it; put a value that begins with ! into quotes"},
		{front("x: " + strings.Repeat("[", 20) + strings.Repeat("]", 20)), ":2:12: the value is more than 8 levels deep; hint: make it flat"},
		{front("x: [" + strings.Repeat("1,", 1001) + "]"), ":2:1999: the front matter has more than 1000 values; hint: put them into a file beside it"},
		{front("? [a]\n: b\nname: pdf" + ok), ":2:3: a key must be a word; hint: write it as key: value"},
	} {
		s, _, faults := skill.Parse("pdf/SKILL.md", "pdf", []byte(c.text))
		if got := faults.Error(); s != nil || got != "pdf/SKILL.md"+c.want {
			t.Errorf("%.80q:\n got %s\nwant pdf/SKILL.md%s", c.text, got, c.want)
		}
	}
}

// What other programs read in a skill does not keep it from being used.
func TestParseWarns(t *testing.T) {
	s, warnings, faults := skill.Parse("pdf/SKILL.md", "pdf", []byte(front("name: pdf\ndescription: d\nmodel: x\nlicence: MIT\nmetadata:\n  a: [b]")))
	want := `pdf/SKILL.md:4:1: "model" is no key of a skill, and is not read; hint: what is your own goes below metadata
pdf/SKILL.md:5:1: "licence" is no key of a skill, and is not read; hint: did you mean "license"?
pdf/SKILL.md:7:3: a value of metadata that is no text is not read; hint: write it as one text`
	if s == nil || len(faults) > 0 || warnings.Error() != want {
		t.Errorf("%+v, %v\n%v", s, faults, warnings)
	}
}

// bridged is a tool with a bridge.
func bridged(name, bridge string) string {
	return fmt.Sprintf(`{"name":%q,"description":"d","inputSchema":{"type":"object","properties":{"p":{"type":"string"}}},"x-sidecar":{"bridge":%s}}`, name, bridge)
}

func TestParseTools(t *testing.T) {
	exec := func(program string) string { return `{"exec":{"command":["` + program + `"]}}` }
	for _, c := range []struct{ text, want string }{
		{"[]", ""},
		{"[" + bridged("pdf.fill", exec("/bin/cat")) + "," + bridged("pdf.ask", `{"http":{"url":"https://example.com/"}}`) + "]", ""},
		{"[" + bridged("pdf.fill", exec("cat")) + "]", ""},
		{"[" + bridged("pdf.fill", exec("./fill")) + "]", `pdf/tools.json:1:149: /0/x-sidecar/bridge/exec/command: "./fill" is not the path of a program, and no program in PATH; hint: write the absolute path, or a name without a slash`},
		{"[" + bridged("pdf.fill", exec("scripts/fill")) + "]", `pdf/tools.json:1:149: /0/x-sidecar/bridge/exec/command: "scripts/fill" is not the path of a program, and no program in PATH; hint: write the absolute path, or a name without a slash`},
		{"[" + bridged("pdf.fill", exec("{p}")) + "]", `:1:150: /0/x-sidecar/bridge/exec/command/0: the program itself cannot come from an argument`},
		{"[" + bridged("pdf.fill", `{"prompt":"Do it."}`) + "]", `pdf/tools.json:1:130: /0/x-sidecar/bridge: a tool of a skill runs a program or asks an HTTP API, and this one's bridge is prompt; hint: write "bridge": {"exec": …} or {"http": …}`},
		{"[" + bridged("core.read", exec("cat")) + "]", `"core"`},
		{"[" + bridged("sv.read", exec("cat")) + "]", `"sv"`},
		{"[" + bridged("git.read", exec("cat")) + "]", `"git"`},
		{"[", "pdf/tools.json:1:2:"},
		{"[" + strings.Repeat(" ", 1<<20) + "]", "pdf/tools.json: the file is larger than 256KiB; hint: a skill brings few tools: others belong into the manifest"},
	} {
		tools, _, faults := skill.ParseTools("pdf/tools.json", []byte(c.text), manifest.Options{Reserved: []string{"git"}})
		if got := faults.Error(); c.want == "" != (got == "") || !strings.Contains(got, c.want) || c.want != "" && tools != nil {
			t.Errorf("%.200s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	var many []string
	for i := range 51 {
		many = append(many, bridged(fmt.Sprintf("pdf.t%d", i), exec("cat")))
	}
	if _, _, faults := skill.ParseTools("x", []byte("["+strings.Join(many, ",\n")+"]"), manifest.Options{}); faults.Error() != "x:51:1: /50: a skill has at most 50 tools; hint: put the others into the manifest" {
		t.Errorf("51 tools: %v", faults)
	}
}
