package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shellHint ends every refusal: two ways to say what was meant.
const shellHint = `no shell reads it: quote it, write a JSON array such as ["prog","arg"], or call one yourself: sh -c '…'`

// splitWords splits a line into words by the quoting rules of a POSIX shell.
// It is never run by one, so what a shell would do beyond quoting (expansions,
// substitutions, pipes, redirections, comments) is refused, not ignored.
func splitWords(line string) ([]string, error) {
	parser := syntax.NewParser(syntax.Variant(syntax.LangPOSIX))
	var words []string
	end := 0
	for w, err := range parser.WordsSeq(strings.NewReader(line)) {
		if err != nil {
			return nil, wordsError(err)
		}
		if err := onlySpace(line[end:w.Pos().Offset()]); err != nil {
			return nil, err
		}
		text, err := unquote(w.Parts)
		if err != nil {
			return nil, err
		}
		if err := checkBare(w, text, len(words)); err != nil {
			return nil, err
		}
		words = append(words, text)
		end = int(w.End().Offset())
	}
	return words, onlySpace(line[end:])
}

// onlySpace refuses what the parser skipped between two words: a comment.
func onlySpace(gap string) error {
	if strings.Trim(strings.ReplaceAll(gap, "\\\n", ""), " \t\r\n") != "" {
		return errors.New("holds # outside of quotes, which begins a comment; quote it")
	}
	return nil
}

// unquote gives the text of a word.
func unquote(parts []syntax.WordPart) (string, error) {
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", refusal(inner)
				}
				b.WriteString(unescape(lit.Value, "$`\"\\"))
			}
		default:
			return "", refusal(part)
		}
	}
	return b.String(), nil
}

// unescape drops the backslashes that quote the next byte; only is what can be
// quoted (between double quotes), "" for anything. A quoted newline is none.
func unescape(s, only string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (only == "" || s[i+1] == '\n' || strings.IndexByte(only, s[i+1]) >= 0) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// refusal names the part of a word that only a shell could fill in.
func refusal(part syntax.WordPart) error {
	what := "something only a shell understands"
	switch p := part.(type) {
	case *syntax.ParamExp:
		what = "the variable $" + p.Param.Value
	case *syntax.CmdSubst:
		what = "a command substitution"
	case *syntax.ArithmExp:
		what = "an arithmetic expansion"
	}
	return fmt.Errorf("holds %s, and %s", what, shellHint)
}

// checkBare refuses two things that are words to the parser and mean more to a
// shell: a home directory, and an assignment before the command.
func checkBare(w *syntax.Word, text string, index int) error {
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok {
		return nil
	}
	if strings.HasPrefix(lit.Value, "~") {
		return fmt.Errorf("holds %s, and %s", quote(text), shellHint)
	}
	if index == 0 && regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`).MatchString(lit.Value) {
		return fmt.Errorf("begins with the assignment %s; set that in the environment, or begin with env", quote(text))
	}
	return nil
}

// wordsError says in our words what the parser did not like.
func wordsError(err error) error {
	var parse syntax.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	if parse.Incomplete {
		return fmt.Errorf("ends inside of quotes (%s); close them", parse.Text)
	}
	return fmt.Errorf("is more than a command and its arguments (character %d: %s), and %s", parse.Pos.Col(), parse.Text, shellHint)
}
