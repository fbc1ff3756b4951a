package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// source reads shell source and everything inside it.
func (r *reader) source(s string) {
	*r.read += len(s)
	if len(s) > maxSource || *r.read > maxRead || strings.Count(s, "(")+strings.Count(s, "{")+strings.Count(s, "[") > maxOpeners {
		r.unread(s, "more than can be looked into")
		return
	}
	if strange(s) {
		r.doubt("characters that shells read differently")
	}
	f, err := parse(s, syntax.LangPOSIX)
	if err != nil {
		if f, err = parse(s, syntax.LangBash); err != nil {
			r.unread(s, "something that cannot be read")
			return
		}
		r.doubt("syntax that is not in every shell")
	}
	syntax.Walk(f, r.visit)
}

func parse(s string, v syntax.LangVariant) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(v)).Parse(strings.NewReader(s), "")
}

// strange reports whether s holds bytes of which shells make different things: control
// characters, blanks that are only blanks in some locales, and bytes that are not UTF-8.
func strange(s string) bool {
	for _, c := range s {
		if c < ' ' && c != '\t' && c != '\n' || c == 0x7f || c == utf8.RuneError || c > 0x7f && unicode.IsSpace(c) {
			return true
		}
	}
	return false
}

// visit is called for every node of a file.
func (r *reader) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Stmt:
		if n.Background || n.Coprocess || n.Disown {
			r.doubt("a command in the background")
		}
	case *syntax.Redirect:
		r.redirect(n)
	case *syntax.CallExpr:
		if len(n.Assigns) > 0 {
			r.doubt("an assignment")
		}
		if len(n.Args) > 0 {
			r.command(Command{Words: evaluateAll(n.Args)})
		}
	case *syntax.ParamExp:
		if !simple(n) {
			r.doubt("an expansion that may do more than insert a value")
		}
	default:
		r.doubtful(n)
	}
	return true
}

// doubtful notes what a node makes unknown. A function's body, and what is
// substituted, is visited all the same.
func (r *reader) doubtful(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.CmdSubst, *syntax.ProcSubst:
		r.doubt("a substitution")
	case *syntax.FuncDecl:
		r.doubt("a function")
	case *syntax.ForClause:
		r.doubt("a loop variable")
	case *syntax.DeclClause:
		r.doubt("an assignment")
	case *syntax.CoprocClause:
		r.doubt("a command in the background")
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.TestClause:
		r.doubt("arithmetic or a test that may assign or run something")
	case *syntax.ExtGlob, *syntax.TestDecl:
		r.doubt("syntax that is not in every shell")
	case *syntax.SglQuoted:
		if n.Dollar {
			r.doubt("syntax that is not in every shell")
		}
	}
}

// simple reports whether an expansion only inserts the value of a variable or argument.
func simple(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Flags == nil && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.NestedParam == nil &&
		p.Index == nil && p.Modifiers == nil && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
}

// redirect notes the file that a redirection opens.
func (r *reader) redirect(n *syntax.Redirect) {
	write := true
	w := evaluate(n.Word)
	switch n.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		r.doubt("a here-document")
		return
	case syntax.RdrIn:
		write = false
	case syntax.DplIn, syntax.DplOut:
		if w.Fixed && (w.Text == "-" || strings.Trim(w.Text, "0123456789") == "") {
			return
		}
	case syntax.RdrInOut:
		r.line.Files = append(r.line.Files, File{Path: w.Text})
	}
	switch {
	case !w.Fixed:
		r.doubt("a redirection to a name that is only known when it runs")
	case harmless(w.Text):
	case strings.HasPrefix(w.Text, "/dev/tcp/"), strings.HasPrefix(w.Text, "/dev/udp/"):
		r.doubt("a redirection to the network")
	default:
		r.line.Files = append(r.line.Files, File{Path: w.Text, Write: write})
	}
}

func harmless(path string) bool {
	switch path {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}
